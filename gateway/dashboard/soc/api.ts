import { notify } from "../shared/notices.tsx";

/** Asks the platform; a refusal is shown in its own words and gives null. The session is a cookie. */
export async function call<T>(method: string, path: string, body?: object): Promise<T | null> {
  try {
    const response = await fetch(`/api/v1${path}`, {
      method,
      credentials: "same-origin",
      ...(body && { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } }),
    });
    const reply = (await response.json()) as T & { detail?: string };
    if (response.ok) return reply;
    if (response.status === 401) dispatchEvent(new Event("minaret-logout"));
    notify(String(reply.detail));
  } catch {
    notify("The platform does not answer.");
  }
  return null;
}
