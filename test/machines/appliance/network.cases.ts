import { networkMachine, viewOfNetwork } from "../../../machines/appliance/network.ts";
import { walkPlan } from "../../walker/walk.ts";

export const plan = walkPlan({
  name: "network",
  machine: networkMachine,
  inputs: [{ hotspot: false }, { hotspot: true }],
  cases: {
    JOIN: [{ ssid: "new", password: "not kept" }],
    FOUND: [
      { ssid: "old", known: true },
      { ssid: null, known: true },
      { ssid: null, known: false },
    ],
    JOINED: [{ ssid: "new" }],
    JOIN_FAILED: [{ reason: "new could not be joined" }],
    HOTSPOT_OPENED: [{ ssid: "minaret-setup" }],
    STEP_FAILED: [{ reason: "no radio" }],
    LINK_CHANGED: [{ ssid: "old" }, { ssid: null }],
  },
  invariant: (snapshot) => {
    if (JSON.stringify(snapshot.context).includes("not kept")) throw new Error("the password was kept");
    const view = viewOfNetwork(snapshot);
    if ((view.joining !== null) !== (view.state === "joining")) throw new Error("joining without a network");
  },
});
