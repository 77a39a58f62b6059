/** A process of its own that counts one entity up: `node entity-counter.ts ADDRESS TIMES`. */
import { once } from "node:events";
import { openStore } from "../../drivers/store/open-store.ts";
import { meta, process as platform, subjectCollections } from "./entity-subject.ts";

const [address, times] = process.argv.slice(2);
const store = await openStore(address!, subjectCollections);
const { host } = platform(store, async () => undefined);
console.log("ready");
await once(process.stdin, "data");
for (let n = 0; n < Number(times); n++) await host.tell("r", { type: "COUNT" }, meta);
await store.close();
process.exit();
