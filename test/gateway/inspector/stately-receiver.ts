/** The receiver of @statelyai/inspect in a process of its own: what it understood goes to standard output. */
import { createWebSocketReceiver } from "@statelyai/inspect";

const receiver = createWebSocketReceiver({ server: `ws://${process.argv[2]!}` });
receiver.subscribe((event) => process.stdout.write(`${JSON.stringify(event)}\n`));
process.stdin.on("end", () => process.exit(0)).resume();
