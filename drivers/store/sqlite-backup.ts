import { rename, rm } from "node:fs/promises";
import { backup, DatabaseSync } from "node:sqlite";

/** Copies a database that may be in use; `to` appears only when it is whole. Reads in steps, so the loop goes on. */
export async function backupSqlite(file: string, to: string): Promise<void> {
  const part = `${to}.part`;
  const source = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
  try {
    await rm(part, { force: true });
    await backup(source, part, { rate: 500 });
    settle(part);
    await rename(part, to);
  } finally {
    source.close();
    await rm(part, { force: true });
  }
}

/** The copy stands alone: one file without a log beside it. */
function settle(file: string): void {
  const copy = new DatabaseSync(file);
  try {
    copy.exec("PRAGMA journal_mode=DELETE");
    const { integrity_check } = copy.prepare("PRAGMA integrity_check(1)").get() as {
      integrity_check: string;
    };
    if (integrity_check !== "ok") throw new Error(`the copy is damaged: ${integrity_check}`);
  } finally {
    copy.close();
  }
}
