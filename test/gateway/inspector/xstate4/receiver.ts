/** The receiver of @xstate/inspect in a process of its own: what it understood goes to standard output, line by line. */
import { createInterface } from "node:readline";
import { createWebSocketReceiver } from "@xstate/inspect";

const receiver = createWebSocketReceiver({ server: process.argv[2]!, serialize: undefined });

receiver.subscribe((event) => {
  const { type, sessionId } = event;
  if (type === "service.register") {
    const { machine, state, id, parent } = event;
    const next = machine.initialState.nextEvents;
    say({
      type,
      sessionId,
      id,
      parent,
      states: Object.keys(machine.states),
      next,
      value: state.value,
      context: state.context,
    });
  } else if (type === "service.state")
    say({ type, sessionId, value: event.state.value, context: event.state.context });
  else if (type === "service.event") say({ type, sessionId, event: event.event });
  else say({ type, sessionId });
});

function say(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

createInterface({ input: process.stdin })
  .on("line", (line) => receiver.send(JSON.parse(line)))
  .on("close", () => process.exit(0));
