/** Writes the state diagrams of `docs/charts` from the machines themselves: `npm run docs`. */
import { globSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type AnyStateMachine, type AnyStateNode, StateMachine } from "xstate";

const root = join(import.meta.dirname, "..");
export const chartsFolder = join(root, "docs", "charts");

/** One page per machine, by file name. */
export async function chartPages(): Promise<Map<string, string>> {
  const pages = new Map<string, string>();
  for (const file of globSync("machines/{appliance,soc}/*.ts", { cwd: root }).sort()) {
    const found = Object.values((await import(join(root, file))) as object).filter(
      (value) => value instanceof StateMachine,
    );
    for (const machine of found)
      pages.set(`${basename(file, ".ts")}.md`, chartPage(file, machine as AnyStateMachine));
  }
  return pages;
}

function chartPage(file: string, machine: AnyStateMachine): string {
  const lines = ["stateDiagram-v2", ...statesOf(machine.root, 1), ...arrowsOf(machine.root)];
  return `# ${machine.id}\n\nMade from \`${file}\` by \`npm run docs\`; not edited by hand.\n\n\`\`\`mermaid\n${lines.join("\n")}\n\`\`\`\n`;
}

const nameOf = (node: AnyStateNode) => node.path.join("__") || "any_state";

function statesOf(node: AnyStateNode, depth: number): string[] {
  const indent = "  ".repeat(depth);
  const children = Object.values(node.states) as AnyStateNode[];
  const initial = node.initial?.target?.[0] as AnyStateNode | undefined;
  const lines = initial ? [`${indent}[*] --> ${nameOf(initial)}`] : [];
  for (const child of children) {
    const inner = statesOf(child, depth + 1);
    if (child.type === "final") lines.push(`${indent}${nameOf(child)} --> [*]`);
    if (inner.length > 0) lines.push(`${indent}state ${nameOf(child)} {`, ...inner, `${indent}}`);
    else lines.push(`${indent}${nameOf(child)} : ${child.key}`);
  }
  return lines;
}

/** Transitions that change the state; those that only act inside it would hide the picture. */
function arrowsOf(node: AnyStateNode): string[] {
  const own = [...node.transitions.values()].flat().concat(node.always ?? []);
  const arrows = own.flatMap(({ target, eventType, guard }) =>
    (target ?? []).map((to) => {
      const word = String(eventType).replace(/^xstate\.after\.(.*?)\..*/, "after $1") || "always";
      const named =
        typeof guard === "string" ? guard : guard && ((guard as { type?: string }).type ?? "guarded");
      const condition = named ? ` [${named}]` : "";
      return `  ${nameOf(node)} --> ${nameOf(to as AnyStateNode)} : ${word}${condition}`;
    }),
  );
  return [...arrows, ...(Object.values(node.states) as AnyStateNode[]).flatMap(arrowsOf)];
}

if (import.meta.main) {
  rmSync(chartsFolder, { recursive: true, force: true });
  mkdirSync(chartsFolder, { recursive: true });
  for (const [name, text] of await chartPages()) writeFileSync(join(chartsFolder, name), text);
}
