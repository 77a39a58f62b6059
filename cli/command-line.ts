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
  minaret verify --audit     check the chains of the platform's audit stream
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

/** They are told everything by the environment, so a word more is a mistake. */
const withoutOperands: ReadonlySet<string> = new Set(["all", "appliance", "soc", "doctor"]);

async function dispatch([name = "all", ...operands]: string[]): Promise<number> {
  if (name === "--version" || name === "-v") return say(manifest.version);
  if (isHelp(name)) return say(help);
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!load) return complain(`There is no command ${JSON.stringify(name)}.\n\n${help}`, 2);
  if (name !== "image" && operands.some(isHelp)) return say(help);
  if (withoutOperands.has(name) && operands.length > 0)
    return complain(`minaret ${name} takes nothing more, but was given ${operands.join(" ")}`, 2);
  const config = readConfig(process.env);
  return (await load())(operands, config);
}

const isHelp = (word: string) => word === "--help" || word === "-h";

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
    const expected = error instanceof ConfigError || error instanceof DomainError || isOfTheWorld(error);
    return complain(expected ? (error as Error).message : String((error as Error)?.stack ?? error), 1);
  }
}

/** A wrong option, or a file that is not there or may not be touched: Node's own sentence says enough. */
function isOfTheWorld(error: unknown): boolean {
  const { code, syscall } = error as NodeJS.ErrnoException;
  return code?.startsWith("ERR_PARSE_ARGS") === true || syscall !== undefined;
}
