/**
 * What `verifyQuote` checked and what it found: one line per check, good or bad, so that a client can show all of them.
 */

/** One thing that a client has compared, and whether it held. `unchecked`: it could not be compared. */
export interface Check {
  readonly name: string
  /** `unchecked` is not good: this version cannot judge it, so the client must judge it or not pay. */
  readonly outcome: "ok" | "failed" | "unchecked"
  /** What was found; for a failure also what was expected. For people, not programs. */
  readonly found: string
}

/** The check `name`: ok where it holds, else failed. `found` is shown to people. */
export const check = (name: string, holds: boolean, found: string): Check => ({
  name,
  outcome: holds ? "ok" : "failed",
  found
})

/** A value that must be exactly the expected one; both are shown, cut to a length that can be printed. */
export const checkEqual = (name: string, actual: unknown, expected: unknown): Check =>
  String(actual) === String(expected)
    ? { name, outcome: "ok", found: cut(actual) }
    : { name, outcome: "failed", found: `${cut(actual)} instead of ${cut(expected)}` }

/** A check that could not be made here, with why. */
export const unchecked = (name: string, why: string): Check => ({ name, outcome: "unchecked", found: why })

const cut = (value: unknown): string => String(value).slice(0, 400)
