#!/usr/bin/env node
/** The command line. Compiled sources are kept between starts: a small board spends half its start on them. */
import { enableCompileCache } from "node:module";
import { join } from "node:path";

enableCompileCache(join(import.meta.dirname, "node_modules/.cache/minaret/compiled"));
const { run } = await import("./cli/command-line.ts");
const code = await run(process.argv.slice(2));
// A start that failed half-way leaves threads behind that would keep the process for ever.
if (code !== 0) process.exit(code);
