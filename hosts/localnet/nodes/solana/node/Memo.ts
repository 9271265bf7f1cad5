/** The memos of a transaction as a node lists them: `[length] text`, joined by "; ". */
import type { Submitted } from "./Submitted.ts"

const programs: ReadonlyArray<string> = [
  "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr",
  "Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo"
]

export const memoOf = ({ message }: Submitted): string | null => {
  const memos = message.instructions
    .filter(({ programAddressIndex }) => programs.includes(message.staticAccounts[programAddressIndex] ?? ""))
    .map(({ data }) =>
      `[${data?.length ?? 0}] ${new TextDecoder().decode(data === undefined ? undefined : new Uint8Array(data))}`
    )
  return memos.length === 0 ? null : memos.join("; ")
}
