/** Connection profiles as NetworkManager keeps them: a password in a file of root's is on no command line. */

interface Profile {
  id: string;
  uuid: string;
  ssid: string;
  password: string;
  mode: "infrastructure" | "ap";
}

/** The text of a profile; an empty password is an open network. */
export function keyfileOf({ id, uuid, ssid, password, mode }: Profile): string {
  const lines = [
    "[connection]",
    `id=${id}`,
    `uuid=${uuid}`,
    "type=wifi",
    `autoconnect=${mode === "infrastructure"}`,
    "",
    "[wifi]",
    // A list of bytes is the one spelling of an SSID that cannot be mistaken for another.
    `ssid=${[...Buffer.from(ssid)].map((byte) => `${byte};`).join("")}`,
    `mode=${mode}`,
    "",
    ...(password === "" ? [] : ["[wifi-security]", "key-mgmt=wpa-psk", `psk=${escaped(password)}`, ""]),
    "[ipv4]",
    `method=${mode === "ap" ? "shared" : "auto"}`,
    "",
    "[ipv6]",
    `method=${mode === "ap" ? "disabled" : "auto"}`,
    "",
  ];
  return lines.join("\n");
}

/** GKeyFile's escapes; control characters never come this far. */
function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replace(/^ +/, (spaces) => "\\s".repeat(spaces.length));
}

/** Takes a line of `nmcli --terse` apart: fields end with a colon, a backslash takes the next character as it is. */
export function terseFields(line: string): string[] {
  const fields = [""];
  for (let at = 0; at < line.length; at++) {
    const character = line[at]!;
    if (character === ":") fields.push("");
    else fields[fields.length - 1] += character === "\\" ? (line[++at] ?? "") : character;
  }
  return fields;
}
