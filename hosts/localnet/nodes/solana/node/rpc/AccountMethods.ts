/** Methods that read accounts and token balances, at a commitment. */
import { base58 } from "@scure/base"
import { Schema } from "effect"
import type { Account } from "../Account.ts"
import type { Chain } from "../Chain.ts"
import { parsedTable } from "../LookupTable.ts"
import { holding, mintOf, tokenPrograms, uiAmount } from "../TokenAccount.ts"
import type { Methods } from "./Methods.ts"
import { addressOf, AddressText, Context, contextFields, contextOf, decode, inContext, optional } from "./Parameters.ts"
import { invalidParams } from "./RpcError.ts"

const Reading = Schema.Struct({
  ...contextFields,
  encoding: Schema.optionalKey(Schema.Literals(["base64", "base58", "jsonParsed"])),
  dataSlice: Schema.optionalKey(Schema.Struct({ offset: Schema.Int, length: Schema.Int }))
})
type Reading = typeof Reading.Type

/** The largest data that base58 is used for. */
const BASE58_LIMIT = 128

const RENT_EXEMPT_EPOCH = 18_446_744_073_709_551_615n

/** A node parses the accounts of the programs that it knows, and gives the others as base64. */
const parsedOf = (account: Account) => {
  if (tokenPrograms.some((program) => program === account.owner)) {
    throw invalidParams("this chain parses lookup tables only: ask for base64")
  }
  return parsedTable(account)
}

const dataOf = (account: Account, { dataSlice, encoding }: Reading) => {
  const { data } = account
  const parsed = encoding === "jsonParsed" ? parsedOf(account) : undefined
  if (parsed !== undefined) return parsed
  const bytes = dataSlice === undefined ? data : data.subarray(dataSlice.offset, dataSlice.offset + dataSlice.length)
  if (encoding === "base64" || encoding === "jsonParsed") return [Buffer.from(bytes).toString("base64"), "base64"]
  if (bytes.length > BASE58_LIMIT) {
    throw invalidParams("Encoded binary (base 58) data should be less than 128 bytes, please use Base64 encoding.")
  }
  return encoding === "base58" ? [base58.encode(bytes), "base58"] : base58.encode(bytes)
}

/** An account in the form of every method. */
export const accountInfo = (account: Account | undefined, reading: Reading) =>
  account === undefined ? null : {
    data: dataOf(account, reading),
    executable: account.executable,
    lamports: account.lamports,
    owner: account.owner,
    rentEpoch: RENT_EXEMPT_EPOCH,
    space: account.data.length
  }

const OneAccount = Schema.Tuple([AddressText, optional(Reading)])
const SeveralAccounts = Schema.Tuple([Schema.Array(AddressText).check(Schema.isMaxLength(100)), optional(Reading)])
const AddressAndContext = Schema.Tuple([AddressText, optional(Context)])
const OfOwner = Schema.Tuple([
  AddressText,
  Schema.Union([Schema.Struct({ mint: AddressText }), Schema.Struct({ programId: AddressText })]),
  optional(Reading)
])

const tokenAccountsByOwner = (chain: Chain, params: unknown) => {
  const [owner, filter, reading] = decode(OfOwner, params)
  const { slot } = contextOf(chain, reading)
  const wanted = "mint" in filter ? (mint: string) => mint === filter.mint : () => true
  const programs = "programId" in filter
    ? tokenPrograms.filter((program) => program === filter.programId)
    : tokenPrograms
  if (programs.length === 0) throw invalidParams("unrecognized Token program id")
  const found = programs.flatMap((program) => chain.bank.ownedBy(program, slot)).flatMap(([pubkey, account]) => {
    const held = holding(account)
    if (held?.owner !== owner || !wanted(held.mint)) return []
    return [{ pubkey, account: accountInfo(account, reading ?? {}) }]
  })
  return inContext(slot, found)
}

export const accountMethods = (chain: Chain): Methods => ({
  getBalance: (params) => {
    const [key, context] = decode(AddressAndContext, params)
    const { commitment, slot } = contextOf(chain, context)
    return inContext(slot, chain.read(addressOf(key), commitment)?.lamports ?? 0n)
  },
  getAccountInfo: (params) => {
    const [key, reading] = decode(OneAccount, params)
    const { commitment, slot } = contextOf(chain, reading)
    return inContext(slot, accountInfo(chain.read(addressOf(key), commitment), reading ?? {}))
  },
  getMultipleAccounts: (params) => {
    const [keys, reading] = decode(SeveralAccounts, params)
    const { commitment, slot } = contextOf(chain, reading)
    return inContext(
      slot,
      keys.map((key) => accountInfo(chain.read(addressOf(key), commitment), { encoding: "base64", ...reading }))
    )
  },
  getTokenAccountBalance: (params) => {
    const [key, context] = decode(AddressAndContext, params)
    const { commitment, slot } = contextOf(chain, context)
    const held = holding(chain.read(addressOf(key), commitment))
    const mint = held === undefined ? undefined : mintOf(chain.read(held.mint, commitment))
    if (held === undefined || mint === undefined) throw invalidParams("could not find account")
    return inContext(slot, uiAmount(held.amount, mint.decimals))
  },
  getTokenSupply: (params) => {
    const [key, context] = decode(AddressAndContext, params)
    const { commitment, slot } = contextOf(chain, context)
    const mint = mintOf(chain.read(addressOf(key), commitment))
    if (mint === undefined) throw invalidParams("could not find mint")
    return inContext(slot, uiAmount(mint.supply, mint.decimals))
  },
  getTokenAccountsByOwner: (params) => tokenAccountsByOwner(chain, params),
  getMinimumBalanceForRentExemption: (params) => {
    const [bytes] = decode(Schema.Tuple([Schema.Int, optional(Context)]), params)
    return chain.bank.svm.minimumBalanceForRentExemption(BigInt(bytes))
  }
})
