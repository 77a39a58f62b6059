import { notify } from "../shared/notices.tsx";

const place = "minaret.token";

export function savedToken(): string {
  return localStorage.getItem(place) ?? "";
}

export function saveToken(token: string): void {
  if (token) localStorage.setItem(place, token);
  else localStorage.removeItem(place);
  dispatchEvent(new Event("minaret-token"));
}

/** Sends a command; a refusal is shown in the device's own words and gives null. */
export async function send(
  method: "POST" | "DELETE",
  path: string,
  body?: object,
): Promise<Record<string, unknown> | null> {
  return request(method, path, body === undefined ? undefined : JSON.stringify(body), "application/json");
}

export async function upload(path: string, file: Blob): Promise<Record<string, unknown> | null> {
  return request("POST", path, file, "application/octet-stream");
}

export async function read<T>(path: string): Promise<T | null> {
  return request("GET", path, undefined, undefined) as Promise<T | null>;
}

async function request(method: string, path: string, body: BodyInit | undefined, type: string | undefined) {
  const token = savedToken();
  try {
    const response = await fetch(`/api${path}`, {
      method,
      ...(body !== undefined && { body }),
      headers: {
        ...(type && body !== undefined && { "Content-Type": type }),
        ...(token && { Authorization: `Bearer ${token}` }),
      },
    });
    const reply = (await response.json()) as Record<string, unknown>;
    if (response.ok) return reply;
    if (response.status === 401)
      notify("This needs the device token. It was printed on the console at the first start.");
    else notify(String(reply.error));
  } catch {
    notify("The device does not answer.");
  }
  return null;
}
