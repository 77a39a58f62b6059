import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { GuardPolicy } from "../../../drivers/stream-guard/address-rules.ts";
import { GuardProxy } from "../../../drivers/stream-guard/proxy.ts";

describe("the guard's proxy", () => {
  let server: Server;
  let received: string[];
  let reply: (socket: Socket) => void;
  let proxy: GuardProxy;
  let ownPorts: number[];

  beforeEach(async () => {
    received = [];
    ownPorts = [];
    reply = (socket) => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi");
    server = createServer((socket) => {
      socket.on("error", () => {});
      socket.on("data", (piece) => {
        received.push(String(piece));
        reply(socket);
      });
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const policy: GuardPolicy = {
      schemes: ["http:", "https:"],
      allowPrivate: true,
      ownPorts: () => ownPorts,
    };
    proxy = new GuardProxy(policy, { headMs: 300, connectMs: 300 });
    await proxy.open();
  });
  afterEach(async () => {
    await proxy.close();
    await proxy.close();
    await new Promise((done) => server.close(done));
  });

  const port = () => (server.address() as AddressInfo).port;
  const credentials = () => {
    const { username, password } = new URL(proxy.url);
    return `Proxy-Authorization: Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
  };

  /** Sends bytes as they are and gives back all that comes until the other side hangs up. */
  async function send(...pieces: string[]): Promise<string> {
    const socket = connect(Number(new URL(proxy.url).port), "127.0.0.1");
    socket.on("error", () => {});
    let got = "";
    socket.on("data", (piece) => {
      got += String(piece);
      const next = pieces.shift();
      if (next) socket.write(next);
    });
    socket.write(pieces.shift() ?? "");
    await once(socket, "close");
    return got;
  }

  const get = (target: string, ...headers: string[]) =>
    send(`${["GET", target, "HTTP/1.1"].join(" ")}\r\n${[credentials(), ...headers].join("\r\n")}\r\n\r\n`);

  it("passes a request on in the form its server expects, without the secret", async () => {
    const target = `http://127.0.0.1:${port()}/a?b=1`;
    expect(await get(target, "Range: bytes=5-", "Connection: keep-alive")).toMatch(/^HTTP\/1.1 200 OK.*hi$/s);
    expect(received[0]).toBe(
      `GET /a?b=1 HTTP/1.1\r\nHost: 127.0.0.1:${port()}\r\nRange: bytes=5-\r\nConnection: close\r\n\r\n`,
    );
  });

  it("asks for credentials, and takes no others", async () => {
    const wrong = `Proxy-Authorization: Basic ${Buffer.from("minaret:guess").toString("base64")}`;
    const head = `GET http://127.0.0.1:${port()}/ HTTP/1.1\r\n`;
    expect(await send(`${head}\r\n`)).toMatch(/^HTTP\/1.1 407 .*Proxy-Authenticate: Basic/s);
    expect(await send(`${head}${wrong}\r\n\r\n`)).toMatch(/^HTTP\/1.1 407/);
    expect(received).toEqual([]);
  });

  it("passes on what an old radio answers, which is no HTTP", async () => {
    reply = (socket) => socket.end("ICY 200 OK\r\nicy-name:Old\r\n\r\nmp3");
    expect(await get(`http://127.0.0.1:${port()}/`)).toBe("ICY 200 OK\r\nicy-name:Old\r\n\r\nmp3");
  });

  it("serves one request per connection: a second one would be unchecked", async () => {
    reply = (socket) => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi");
    await send(
      `GET http://127.0.0.1:${port()}/ HTTP/1.1\r\n${credentials()}\r\n\r\n`,
      "GET /second HTTP/1.1\r\nHost: x\r\n\r\n",
    );
    expect(received).toHaveLength(1);
  });

  it("opens a tunnel for https", async () => {
    reply = (socket) => socket.end("secret bytes");
    const head = `CONNECT 127.0.0.1:${port()} HTTP/1.1\r\n${credentials()}\r\n\r\n`;
    expect(await send(head, "client bytes")).toMatch(/^HTTP\/1.1 200 .*\r\n\r\nsecret bytes$/s);
    expect(received).toEqual(["client bytes"]);
  });

  it("refuses the appliance's own ports, its own among them", async () => {
    ownPorts = [port()];
    expect(await get(`http://127.0.0.1:${port()}/`)).toMatch(/^HTTP\/1.1 403/);
    expect(await get(`http://${new URL(proxy.url).host}/`)).toMatch(/^HTTP\/1.1 403/);
    const tunnel = `CONNECT [::ffff:127.0.0.1]:${port()} HTTP/1.1\r\n${credentials()}\r\n\r\n`;
    expect(await send(tunnel)).toMatch(/^HTTP\/1.1 403/);
    expect(received).toEqual([]);
  });

  it.each(["http://169.254.169.254/", "http://2852039166/", "http://[ff02::1]/"])(
    "refuses %s",
    async (target) => {
      expect(await get(target)).toMatch(/^HTTP\/1.1 403/);
    },
  );

  it.each([
    "POST http://127.0.0.1/ HTTP/1.1",
    "GET /relative HTTP/1.1",
    "GET ftp://127.0.0.1/ HTTP/1.1",
    "GET http://u:p@127.0.0.1/ HTTP/1.1",
    "CONNECT 127.0.0.1 HTTP/1.1",
    "CONNECT 127.0.0.1:80/x HTTP/1.1",
    "rubbish",
    `GET http://127.0.0.1/${"a".repeat(20_000)} HTTP/1.1`,
  ])("answers 400 to %.40s", async (line) => {
    expect(await send(`${line}\r\n${credentials()}\r\n\r\n`)).toMatch(/^HTTP\/1.1 400/);
  });

  it("says 502 where nobody listens, 504 where nobody answers, and bounds the head of an answer", async () => {
    expect(await get("http://127.0.0.1:1/")).toMatch(/^HTTP\/1.1 502/);
    reply = () => {};
    expect(await get(`http://127.0.0.1:${port()}/`)).toMatch(/^HTTP\/1.1 504/);
    reply = (socket) => socket.write(`HTTP/1.1 200 OK\r\nx: ${"a".repeat(20_000)}`);
    expect(await get(`http://127.0.0.1:${port()}/`)).toMatch(/^HTTP\/1.1 502/);
  });

  it("lets go of a client that never finishes its request", async () => {
    expect(await send("GET http://127.")).toBe("");
  });

  it("close ends the connections that are open", async () => {
    reply = (socket) => socket.write("HTTP/1.1 200 OK\r\n\r\nendless");
    const answer = get(`http://127.0.0.1:${port()}/`);
    await expect.poll(() => received.length).toBe(1);
    await proxy.close();
    await answer;
  });
});
