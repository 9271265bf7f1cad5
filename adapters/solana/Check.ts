/**
 * Reads from one node the facts of a Solana cluster that its configuration is checked against, at commitment finalized:
 * its genesis, programs, mints.
 */
import { Effect, Schema } from "effect"
import { NO_CODE, NO_TOKEN, PROGRAM } from "../../src/domain/configuration/Expectation.ts"
import type { Ask } from "../../src/domain/configuration/Expectation.ts"
import { isTokenProgram } from "../../src/domain/families/solana/evidence/Programs.ts"
import { jsonRpc } from "../quorum/Endpoints.ts"
import type { FamilyCheck } from "../quorum/ReadingFacts.ts"
import type { ReadFault } from "../quorum/ReadFault.ts"
import type { JsonRpc } from "../quorum/rpc/JsonRpc.ts"
import { isScaled } from "./decode/MintExtensions.ts"
import { bytesOfBase64 } from "./decode/NodeAnswers.ts"
import { genesisCall, undecodable } from "./observe/ReadTransaction.ts"
import { solanaStyle } from "./rpc/SolanaStyle.ts"

/** Nodes take at most this many accounts in one request. */
const PAGE = 100

/** The part of an account that shows which kind of token program account it is, and a mint's extensions. */
const SLICE = { offset: 0, length: 8_192 } as const

const Account = Schema.NullOr(Schema.Struct({
  owner: Schema.String,
  executable: Schema.Boolean,
  space: Schema.optionalKey(Schema.Number),
  data: Schema.Tuple([Schema.String.check(Schema.isPattern(/^[A-Za-z0-9+/]*={0,2}$/)), Schema.Literal("base64")])
}))
type Account = typeof Account.Type
const decodeAccounts = Schema.decodeUnknownEffect(Schema.Struct({ value: Schema.Array(Account) }))
const decodeGenesis = Schema.decodeUnknownEffect(Schema.String)

const MINT_SIZE = 82
const DECIMALS_AT = 44
const INITIALIZED_AT = 45
/** Where Token-2022 stores the kind of an account with extensions, and the value for a mint. */
const KIND_AT = 165
const MINT = 1
const SCALED = "amounts that are shown scaled"

/** The decimals of a mint. Token accounts and multisigs of a token program have none. */
const decimalsIn = (account: Account): string => {
  if (account === null || !isTokenProgram(account.owner)) return NO_TOKEN
  const bytes = bytesOfBase64(account.data[0])
  const isMint = bytes.length === MINT_SIZE || (bytes.length > KIND_AT && bytes[KIND_AT] === MINT)
  if (!isMint || bytes[INITIALIZED_AT] !== 1) return NO_TOKEN
  // SECURITY: at a price for the shown unit, a payment of stored units would be worth that factor more (SOLANA-25).
  return isScaled(bytes) ? SCALED : `${bytes[DECIMALS_AT]}`
}

const factIn = (asked: Ask, account: Account): string => {
  switch (asked._tag) {
    case "Code":
      return account?.executable === true ? PROGRAM : NO_CODE
    case "Owner":
      return account?.owner ?? "no account"
    case "Decimals":
      return decimalsIn(account)
    default:
      return NO_TOKEN
  }
}

const read: FamilyCheck<JsonRpc>["read"] = Effect.fnUntraced(
  function*(rpc, _chain, asked, deadline): Effect.fn.Return<ReadonlyArray<string>, ReadFault> {
    const keys = [...new Set(asked.flatMap((each) => each._tag === "Network" ? [] : [each.of]))]
    const pages = Array.from(
      { length: Math.ceil(keys.length / PAGE) },
      (_, page) => keys.slice(page * PAGE, (page + 1) * PAGE)
    )
    const calls = pages.map((page) => ({
      method: "getMultipleAccounts",
      params: [page, { commitment: "finalized", encoding: "base64", dataSlice: SLICE }]
    }))
    const [genesis, ...answers] = yield* rpc.batch([genesisCall, ...calls], deadline)
    const hash = yield* undecodable(decodeGenesis(genesis))
    const accounts = new Map<string, Account>()
    for (const [index, page] of pages.entries()) {
      const { value } = yield* undecodable(decodeAccounts(answers[index]))
      if (value.length !== page.length) {
        return yield* Effect.fail("undecodable" as const)
      }
      for (const [at, key] of page.entries()) accounts.set(key, value[at] ?? null)
    }
    return asked.map((each) => each._tag === "Network" ? hash : factIn(each, accounts.get(each.of) ?? null))
  }
)

export const check: FamilyCheck<JsonRpc> = { open: jsonRpc(solanaStyle), read }
