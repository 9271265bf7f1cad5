/**
 * Reads and changes an embedded store (`sqlite:…`) beside the host that owns it. Waits for the store's lock without
 * blocking: the host that holds it may run in this thread, and could then never give it back.
 */
import { Effect, Schedule } from "effect"
import { DatabaseSync } from "node:sqlite"
import type { SQLInputValue } from "node:sqlite"

const beside = <A>(url: string, readOnly: boolean, use: (store: DatabaseSync) => A) =>
  Effect.try({
    try: () => {
      using store = new DatabaseSync(url.slice("sqlite:".length), { readOnly, timeout: 0 })
      return use(store)
    },
    catch: String
  }).pipe(
    Effect.retry({ schedule: Schedule.spaced("20 millis"), while: (reason) => reason.includes("is locked") }),
    Effect.orDie
  )

/** The rows of a query. */
export const rowsBeside = (url: string, query: string, ...parameters: ReadonlyArray<SQLInputValue>) =>
  beside(url, true, (store) => store.prepare(query).all(...parameters))

/** The column `n` of a query's only row. */
export const numberBeside = (url: string, query: string, ...parameters: ReadonlyArray<SQLInputValue>) =>
  Effect.map(rowsBeside(url, query, ...parameters), ([row]) => Number(row?.["n"]))

/**
 * Changes the store in one transaction. It begins as a writer: one that reads first and then writes, as ALTER TABLE
 * does, is refused when the host has written in between, however long it would wait.
 */
export const changeBeside = <A>(url: string, change: (store: DatabaseSync) => A) =>
  beside(url, false, (store) => {
    store.exec("BEGIN IMMEDIATE")
    const result = change(store)
    store.exec("COMMIT")
    return result
  })

/** Hides a table from the host until the scope ends: what needs it fails. */
export const hideTable = (url: string, table: string) => {
  const rename = (from: string, to: string) =>
    changeBeside(url, (store) => {
      store.exec(`ALTER TABLE ${from} RENAME TO ${to}`)
    })
  return Effect.acquireRelease(rename(table, "hidden"), () => rename("hidden", table))
}
