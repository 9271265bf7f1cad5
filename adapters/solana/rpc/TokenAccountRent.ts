/**
 * What a token account of a mint must hold, by its size: one of Token-2022 is larger, because its associated accounts
 * are immutable in their owner, and some mints put an extension of their own into each account.
 */
import { TOKEN_ACCOUNT_RENT } from "../../../src/domain/families/solana/SolanaCosts.ts"

/** Lamports for a byte, for two years. */
const LAMPORTS_A_BYTE = 6_960n

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
export const tokenAccountRent = (extensions: ReadonlyArray<number> | undefined): bigint => {
  if (extensions === undefined) return TOKEN_ACCOUNT_RENT
  const bytes = extensions.reduce((sum, type) => {
    const held = IN_ACCOUNTS.get(type)
    return held === undefined ? sum : sum + EXTENSION_BYTES + held
  }, KIND_BYTES + EXTENSION_BYTES)
  return TOKEN_ACCOUNT_RENT + BigInt(bytes) * LAMPORTS_A_BYTE
}
