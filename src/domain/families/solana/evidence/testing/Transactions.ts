/**
 * Builds transactions of solana-vm from what they do: instructions in any order, with the balances that a cluster would
 * have afterwards.
 */
import { addressCodec } from "../../../index.ts"
import * as Result from "effect/Result"
import type { Address, CurrencyAddress } from "../../../../chain/Address.ts"
import { Hex32, hexToBytes } from "../../../../encoding/Hex.ts"
import vectors from "../../../../hub/vectors/settlement.json" with { type: "json" }
import { encodeSolanaWithdrawal } from "../../SolanaWithdrawal.ts"
import { programs, tokenAccountOf, vaultOf } from "../Programs.ts"
import type { SvmInstruction, SvmTransaction } from "../SvmTransaction.ts"

const { fromBytes, parse } = addressCodec("solana-vm")

/** The account with this number. */
export const account = (number: number): Address => Result.getOrThrow(fromBytes(new Uint8Array(32).fill(number)))
export const known = (text: string): Address => Result.getOrThrow(parse(text))
export const currency = (address: Address): CurrencyAddress =>
  Result.getOrThrow(addressCodec("solana-vm").parseCurrency(address))

export const program = account(80)
export const vault = vaultOf(program) ?? account(0)
export const mints = [account(90), account(91)] as const
const computed = new Map<string, Address>()
/** Cached, because it would dominate a property test's time. */
export const tokensOf = (owner: Address, mint: Address): Address => {
  const found = computed.get(`${owner} ${mint}`) ?? tokenAccountOf(owner, mint, programs.token) ?? account(0)
  computed.set(`${owner} ${mint}`, found)
  return found
}

const u64 = (value: bigint): ReadonlyArray<number> =>
  Array.from({ length: 8 }, (_, at) => Number((value >> BigInt(8 * at)) & 0xffn))
const system = known(programs.system)
const token = known(programs.token)
const NO_DOMAIN = Hex32.make(`0x${"00".repeat(32)}`)
/** execute_transfer is not among the vectors: sha256 of `global:execute_transfer`. */
const discriminators = { ...vectors.solanaDiscriminators, execute_transfer: [233, 126, 160, 184, 235, 206, 31, 119] }

/**
 * One action of a transaction. Amounts are as declared. The fee, in hundredths of a percent, is taken from what the
 * recipient gets.
 */
export type Deed =
  | {
    readonly _tag: "DepositNative"
    readonly amount: bigint
    readonly id: Hex32
    readonly from: Address
    readonly inner: boolean
    readonly extra: number
  }
  | {
    readonly _tag: "DepositToken"
    readonly amount: bigint
    readonly id: Hex32
    readonly from: Address
    readonly mint: Address
    readonly feeBps: bigint
    readonly inner: boolean
  }
  | { readonly _tag: "Native"; readonly amount: bigint; readonly from: Address; readonly to: Address }
  | {
    readonly _tag: "Token"
    readonly amount: bigint
    readonly from: Address
    readonly to: Address
    readonly mint: Address
    readonly feeBps: bigint
  }
  /** Declares a deposit and moves nothing: another program, another vault, or another account of the vault. */
  | {
    readonly _tag: "Forged"
    readonly how: "program" | "vault" | "account" | "short"
    readonly amount: bigint
    readonly id: Hex32
    readonly from: Address
  }
  /**
   * An executed withdrawal from the vault, in SOL when no mint is named. The fee is taken from what the recipient gets.
   */
  | {
    readonly _tag: "Payout"
    readonly amount: bigint
    readonly to: Address
    readonly mint: Address | undefined
    readonly feeBps: bigint
    readonly inner: boolean
  }
  | { readonly _tag: "Memo"; readonly text: string; readonly inner: boolean }

const nativeAccounts = (from: Address, into: Address) => [account(81), from, from, into, system]
const tokenAccounts = (
  from: Address,
  mint: Address,
  into: Address
) => [account(81), from, from, vault, mint, tokensOf(from, mint), into, token, known(programs.associatedToken), system]

const payout = ({ amount, inner, mint, to }: Extract<Deed, { readonly _tag: "Payout" }>): SvmInstruction => {
  const request = {
    domain: NO_DOMAIN,
    recipient: to,
    token: mint,
    amount,
    nonce: 1n,
    expiration: 2_000_000_000n,
    vault
  }
  const [ofRecipient, ofVault] = mint === undefined ? [program, program] : [tokensOf(to, mint), tokensOf(vault, mint)]
  return {
    program,
    isTopLevel: !inner,
    accounts: [
      account(81),
      account(84),
      to,
      vault,
      mint ?? program,
      ofRecipient,
      ofVault,
      account(86),
      account(85),
      token,
      known(programs.associatedToken),
      system
    ],
    data: Uint8Array.of(
      ...discriminators.execute_transfer,
      ...hexToBytes(Result.getOrThrow(encodeSolanaWithdrawal(request)))
    )
  }
}

const instructionOf = (deed: Deed): SvmInstruction => {
  const top = { isTopLevel: true }
  switch (deed._tag) {
    case "DepositNative":
      return {
        program,
        isTopLevel: !deed.inner,
        accounts: nativeAccounts(deed.from, vault),
        data: Uint8Array.of(
          ...discriminators.deposit_native,
          ...u64(deed.amount),
          ...hexToBytes(deed.id),
          ...new Uint8Array(deed.extra)
        )
      }
    case "DepositToken":
      return {
        program,
        isTopLevel: !deed.inner,
        accounts: tokenAccounts(deed.from, deed.mint, tokensOf(vault, deed.mint)),
        data: Uint8Array.of(...discriminators.deposit_token, ...u64(deed.amount), ...hexToBytes(deed.id))
      }
    case "Native":
      return {
        ...top,
        program: system,
        accounts: [deed.from, deed.to],
        data: Uint8Array.of(2, 0, 0, 0, ...u64(deed.amount))
      }
    case "Token":
      return {
        ...top,
        program: token,
        accounts: [tokensOf(deed.from, deed.mint), deed.mint, tokensOf(deed.to, deed.mint), deed.from],
        data: Uint8Array.of(12, ...u64(deed.amount), 6)
      }
    case "Payout":
      return payout(deed)
    case "Memo":
      return {
        program: known(programs.memo),
        isTopLevel: !deed.inner,
        accounts: [],
        data: new TextEncoder().encode(deed.text)
      }
    case "Forged": {
      const data = Uint8Array.of(...discriminators.deposit_native, ...u64(deed.amount), ...hexToBytes(deed.id))
      if (deed.how === "program") {
        return { ...top, program: account(82), accounts: nativeAccounts(deed.from, vault), data }
      }
      if (deed.how === "vault") return { ...top, program, accounts: nativeAccounts(deed.from, deed.from), data }
      if (deed.how === "short") {
        return { ...top, program, accounts: nativeAccounts(deed.from, vault), data: data.subarray(0, 47) }
      }
      return {
        ...top,
        program,
        accounts: tokenAccounts(deed.from, mints[0], account(83)),
        data: Uint8Array.of(...discriminators.deposit_token, ...data.subarray(8))
      }
    }
  }
}

/** More than all deeds of a transaction move, so no balance goes below zero. */
const START = 10n ** 15n

/** The transaction of these deeds, in this order. */
export const transactionOf = (deeds: ReadonlyArray<Deed>): SvmTransaction => {
  const lamports = new Map<Address, bigint>()
  const tokens = new Map<Address, { readonly mint: CurrencyAddress; readonly owner: Address; readonly after: bigint }>()
  const move = (at: Address, by: bigint) => void lamports.set(at, (lamports.get(at) ?? START) + by)
  const moveToken = (owner: Address, mint: Address, by: bigint) => {
    const at = tokensOf(owner, mint)
    tokens.set(at, { mint: currency(mint), owner, after: (tokens.get(at)?.after ?? START) + by })
  }
  for (const deed of deeds) {
    if (deed._tag === "DepositNative" || deed._tag === "Native") {
      move(deed.from, -deed.amount)
      move(deed._tag === "Native" ? deed.to : vault, deed.amount)
    }
    if (deed._tag === "Payout" && deed.mint === undefined) {
      move(vault, -deed.amount)
      move(deed.to, deed.amount)
    }
    if (deed._tag === "Payout" && deed.mint !== undefined) {
      moveToken(vault, deed.mint, -deed.amount)
      moveToken(deed.to, deed.mint, deed.amount - (deed.amount * deed.feeBps) / 10_000n)
    }
    if (deed._tag === "DepositToken" || deed._tag === "Token") {
      moveToken(deed.from, deed.mint, -deed.amount)
      moveToken(deed._tag === "Token" ? deed.to : vault, deed.mint, deed.amount - (deed.amount * deed.feeBps) / 10_000n)
    }
  }
  const held = [...tokens].map(([at, { mint, owner, after }]) => ({ account: at, mint, owner, after }))
  return {
    instructions: deeds.map(instructionOf),
    lamports: [...lamports].map(([at, after]) => ({ account: at, before: START, after })),
    tokensBefore: held.map(({ account: at, mint, owner }) => ({ account: at, mint, owner, amount: START })),
    tokensAfter: held.map(({ account: at, after, mint, owner }) => ({ account: at, mint, owner, amount: after }))
  }
}
