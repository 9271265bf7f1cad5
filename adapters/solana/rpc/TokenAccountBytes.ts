/**
 * The size of a token account by its mint: one of Token-2022 is larger, because its associated accounts are immutable in
 * their owner, and some mints put an extension of their own into each account.
 */
import { TOKEN_ACCOUNT_BYTES } from "../../../src/domain/families/solana/SolanaCosts.ts"

/** What kind of account it is, and for each extension its type and length. */
const KIND_BYTES = 1
const EXTENSION_BYTES = 4

/** Bytes that an extension of a mint makes each of its accounts hold besides, by the extension's type. */
const IN_ACCOUNTS: ReadonlyMap<number, number> = new Map([
  // A transfer fee: what was withheld.
  [1, 8],
  // Not transferable.
  [9, 0],
  // A hook: whether a transfer is running.
  [14, 1],
  // Can be paused.
  [26, 0]
])

/** `extensions`: the types of a Token-2022 mint's; undefined for a mint of the first token program. */
export const tokenAccountBytes = (extensions: ReadonlyArray<number> | undefined): number => {
  if (extensions === undefined) return TOKEN_ACCOUNT_BYTES
  return extensions.reduce((sum, type) => {
    const held = IN_ACCOUNTS.get(type)
    return held === undefined ? sum : sum + EXTENSION_BYTES + held
  }, TOKEN_ACCOUNT_BYTES + KIND_BYTES + EXTENSION_BYTES)
}
