#!/usr/bin/env node
/** The command line. Compiled sources are kept between starts: a small board spends half its start on them. */
import { enableCompileCache } from "node:module";
import { join } from "node:path";

enableCompileCache(join(import.meta.dirname, "node_modules/.cache/minaret/compiled"));
const { run } = await import("./cli/command-line.ts");
process.exitCode = await run(process.argv.slice(2));
