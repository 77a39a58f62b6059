import { randomUUID } from "node:crypto";
import { z } from "zod";
import { applianceRoute } from "../policy.ts";
import { done, doneWith, Id, IdParams, Name, StreamUrl, Success, success } from "../schemas.ts";

const station = { id: Id, name: Name, url: StreamUrl };

/** The list as its GET and the state stream show it. */
export const StationList = z.strictObject({
  stations: z.array(z.strictObject(station).meta({ id: "Station" })).readonly(),
});

export const stationRoutes = [
  applianceRoute({
    method: "get",
    path: "/radio/stations",
    summary: "The saved stations",
    tag: "Radio",
    policy: { auth: "public", rate: "default" },
    reply: StationList,
    handle: ({ actors }) => ({ stations: actors.stations.view() }),
  }),
  applianceRoute({
    method: "post",
    path: "/radio/stations",
    summary: "Save a station",
    tag: "Radio",
    policy: { auth: "token", rate: "default", emits: "stations" },
    body: z.strictObject({ name: Name, url: StreamUrl }),
    reply: success(station),
    handle: ({ body, actors }) =>
      actors.stations.ask({ type: "PUT", record: { id: randomUUID(), ...body } }).then(doneWith),
  }),
  applianceRoute({
    method: "delete",
    path: "/radio/stations/:id",
    summary: "Forget a station",
    tag: "Radio",
    policy: { auth: "token", rate: "default", emits: "stations" },
    params: IdParams,
    reply: Success,
    handle: ({ params, actors }) => actors.stations.ask({ type: "REMOVE", key: params.id }).then(done),
  }),
];
