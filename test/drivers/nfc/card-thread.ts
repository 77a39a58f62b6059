/** One virtual card: says its ATR and its UID to the virtual reader at a port, until the thread is ended. */
import { connect } from "node:net";
import { parentPort, workerData } from "node:worker_threads";

const { port, uid } = workerData as { port: number; uid: string | null };

/** What an ordinary contactless card answers at power-on, through a PC/SC reader. */
const atr = Buffer.from("3B8F8001804F0CA000000306030001000000006A", "hex");
const askAtr = 4;
const unknown = Buffer.from("6A81", "hex");

const socket = connect(port, "127.0.0.1", () => parentPort?.postMessage("laid down"));
let rest = Buffer.alloc(0);

/** Each message is its length in two bytes, then a command of the reader (one byte) or of the host. */
socket.on("data", (chunk) => {
  rest = Buffer.concat([rest, chunk]);
  while (rest.length >= 2 && rest.length >= 2 + rest.readUInt16BE(0)) {
    const message = rest.subarray(2, 2 + rest.readUInt16BE(0));
    rest = rest.subarray(2 + message.length);
    if (message.length > 1) say(answer(message));
    else if (message[0] === askAtr) say(atr);
  }
});
socket.on("error", () => {});

function answer(command: Buffer): Buffer {
  const asked = command.toString("hex") === "ffca000000";
  return asked && uid !== null ? Buffer.from(`${uid}9000`, "hex") : unknown;
}

function say(payload: Buffer): void {
  const head = Buffer.alloc(2);
  head.writeUInt16BE(payload.length);
  socket.write(Buffer.concat([head, payload]));
}
