/** The memos of a transaction as a node lists them: `[length] text`, joined by "; ". */
import type { Submitted } from "./Submitted.ts"
import { instructionsOf } from "./Submitted.ts"

const programs: ReadonlyArray<string> = [
  "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr",
  "Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo"
]

export const memoOf = ({ message }: Submitted): string | null => {
  const memos = instructionsOf(message)
    .filter(({ program }) => programs.includes(program ?? ""))
    .map(({ data }) => `[${data.length}] ${new TextDecoder().decode(data)}`)
  return memos.length === 0 ? null : memos.join("; ")
}
