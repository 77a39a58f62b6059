import { expect, it } from "vitest";
import { describeWith } from "../real-part.ts";
import { startService } from "../service.ts";
import { traceProcess } from "../strace.ts";

const synced = /(fsync|fdatasync)(\(| resumed).*= 0$/;

describeWith(["strace"], "what a reply promises is on the disk", () => {
  it("a lone write is synced between its request and its reply", async () => {
    const service = await startService("appliance");
    try {
      const call = async (mark: string, init: RequestInit) => {
        const reply = await fetch(`${service.appliance}/api/radio/stations`, {
          ...init,
          headers: {
            authorization: `Bearer ${service.token}`,
            "content-type": "application/json",
            "x-request-id": mark,
          },
        });
        expect(reply.status).toBe(200);
        await reply.arrayBuffer();
      };
      const trace = await traceProcess(
        service.process.pid!,
        "fsync,fdatasync,read,recvfrom,write,writev,sendto,sendmsg",
      );
      for (const name of ["one", "two", "three"]) {
        const body = JSON.stringify({ name, url: "http://192.0.2.1/radio" });
        await call(`make-${name}`, { method: "POST", body });
      }
      const lines = await trace.lines();
      const syncsOf = (mark: string) => {
        const asked = lines.findIndex((line) => line.includes(mark));
        const told = lines.findIndex((line, at) => at > asked && line.includes("HTTP/1.1 200"));
        expect(asked, `${mark} was not seen`).toBeGreaterThanOrEqual(0);
        expect(told, `the reply to ${mark} was not seen`).toBeGreaterThan(asked);
        return lines.slice(asked, told).filter((line) => synced.test(line)).length;
      };
      for (const name of ["one", "two", "three"]) expect(syncsOf(`make-${name}`)).toBeGreaterThanOrEqual(1);
    } finally {
      await service.discard();
    }
  });
});
