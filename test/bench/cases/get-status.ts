import { startBaseline, startOurs } from "../load.ts";
import type { Row } from "../measure.ts";
import { compareServers, type Rival } from "../rival.ts";

/** A GET through every check of the gateway, against Koa alone. */
export async function measure(): Promise<Row[]> {
  const service = await startOurs("appliance");
  const bare = await startBaseline("bare-koa.ts");
  const rivals: [Rival, Rival] = [
    { server: service, load: { url: `${service.appliance}/api/playback/status` } },
    { server: bare, load: { url: bare.origin } },
  ];
  const about = "the same 216 bytes from bare Koa";
  try {
    return [
      ...(await compareServers("GET status", about, 32, rivals, { atLeast: 0.8 })),
      ...(await compareServers("GET status", about, 1, rivals, null)),
    ];
  } finally {
    await Promise.all([service.stop(), bare.stop()]);
  }
}
