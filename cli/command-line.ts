import { parseArgs } from "node:util";
import { ConfigError, readConfig } from "../config.ts";
import { DomainError } from "../machines/errors.ts";
import manifest from "../package.json" with { type: "json" };

const help = `minaret ${manifest.version}

  minaret [all]              both services
  minaret appliance          the recitation appliance alone
  minaret soc                the security-operations platform alone
  minaret doctor             which real parts were found, and which stand-ins serve
  minaret backup FOLDER      a consistent copy of everything but the card, also while running
  minaret restore FOLDER     put a backup in place, at the next start
  minaret image …            make and sign an update image (minaret image --help)
  minaret verify FILE        check an evidence export offline
  minaret --help | --version

Configuration is by environment variables; docs/operating.md lists them.`;

type Command = (operands: string[], config: ReturnType<typeof readConfig>) => Promise<number>;

const commands: Record<string, () => Promise<Command>> = {
  all: async () => (await import("./serve.ts")).serve(["appliance", "soc"]),
  appliance: async () => (await import("./serve.ts")).serve(["appliance"]),
  soc: async () => (await import("./serve.ts")).serve(["soc"]),
  doctor: async () => (await import("./doctor.ts")).doctor,
  backup: async () => (await import("./backup.ts")).backup,
  restore: async () => (await import("./restore.ts")).restore,
  image: async () => (await import("./image.ts")).image,
  verify: async () => (await import("./verify.ts")).verify,
};

async function dispatch(argv: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: argv,
    strict: false,
    allowPositionals: true,
    options: { help: { type: "boolean", short: "h" }, version: { type: "boolean", short: "v" } },
  });
  const name = positionals[0] ?? "all";
  if (values.version) return say(manifest.version);
  if (values.help && name !== "image") return say(help);
  const command = commands[name];
  if (!command) return complain(`There is no command ${JSON.stringify(name)}.\n\n${help}`, 2);
  const operands = argv.slice(argv.indexOf(name) + 1);
  return (await command())(operands, readConfig(process.env));
}

function say(text: string): number {
  console.log(text);
  return 0;
}

function complain(text: string, code: number): number {
  console.error(text);
  return code;
}

/** Runs one command line to its exit code; what a person did wrong is said without a stack. */
export async function run(argv: string[]): Promise<number> {
  try {
    return await dispatch(argv);
  } catch (error) {
    const expected = error instanceof ConfigError || error instanceof DomainError;
    return complain(expected ? error.message : String((error as Error)?.stack ?? error), 1);
  }
}
