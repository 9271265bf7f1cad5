/**
 * The contracts of the simulated Tron chain as pure functions of their storage: the depository, and two tokens. USDT's
 * `transfer` returns false although it moves the whole amount, and its `approve` only sets or clears an allowance. ODD
 * keeps a part of each transfer, unless the solver pays: so a trial by the solver does not show it.
 */
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { Hex } from "../../../src/domain/encoding/Hex.ts"
import { topics } from "../../../src/domain/families/ethereum/evidence/Events.ts"
import { contract, energies, KEPT_BPS, keeper, odd, solver, usdt } from "./Terms.ts"

export interface Log {
  /** 0x and 40 digits. */
  readonly address: string
  readonly topics: ReadonlyArray<string>
  readonly data: string
}

/** Balances and allowances of tokens, by `holding` and `allowance`. What is not there is zero. */
export type Storage = ReadonlyMap<string, bigint>

/** How USDT behaves now: it refuses transfers, or moves nothing and returns false. */
export type TokenMood = "usual" | "refuses" | "hollow"

/** What calls depend on besides storage. */
export interface Weather {
  readonly tokenMood: TokenMood
  /** Accounts that USDT moves nothing to. */
  readonly frozen: ReadonlySet<string>
  /** Energy of a call, in percent of what it usually takes. */
  readonly energyPercent: bigint
}

export interface Call {
  readonly owner: string
  readonly contract: string
  readonly value: bigint
  readonly input: string
}

export type Called =
  | {
    readonly _tag: "Done"
    readonly storage: Storage
    readonly logs: ReadonlyArray<Log>
    /** Without 0x. */
    readonly answer: string
    readonly energy: bigint
  }
  | { readonly _tag: "Reverted"; readonly energy: bigint }

export const tokens: ReadonlyArray<Address> = [usdt, odd]

export const isContract = (account: string): boolean => [contract, ...tokens].some((each) => each === account)

export const holding = (token: string, account: string): string => `${token}:${account}`
const allowance = (token: string, owner: string): string => `${token}:${owner}>${contract}`

const word = (digits: string): string => digits.padStart(64, "0")
const number = (value: bigint): string => word(value.toString(16))
const accountWord = (account: string): string => word(account.slice(2))
const accountIn = (digits = ""): string => `0x${digits.slice(24)}`

const W = "([0-9a-f]{64})"
const calls = {
  depositNative: new RegExp(`^0x49290c1c${W}${W}$`, "u"),
  depositErc20: new RegExp(`^0xe8017952${W}${W}${W}${W}$`, "u"),
  transfer: new RegExp(`^0xa9059cbb${W}${W}([0-9a-f]*)$`, "u"),
  approve: new RegExp(`^0x095ea7b3${W}${W}$`, "u"),
  balanceOf: new RegExp(`^0x70a08231${W}$`, "u"),
  allowance: new RegExp(`^0xdd62ed3e${W}${W}$`, "u")
} as const

/** What the depository does with a call for TRX: the log of a deposit. Undefined when it refuses. */
export const nativeDepositLog = (input: Hex | string, value: bigint): Log | undefined => {
  const [, depositor, id] = calls.depositNative.exec(input) ?? []
  return depositor === undefined || id === undefined || value === 0n ? undefined : {
    address: contract,
    topics: [topics.nativeDeposit],
    data: `0x${depositor}${number(value)}${id}`
  }
}

const transferLog = (token: string, from: string, to: string, amount: bigint): Log => ({
  address: token,
  topics: [topics.transfer, `0x${accountWord(from)}`, `0x${accountWord(to)}`],
  data: `0x${number(amount)}`
})

/** What ODD keeps of a transfer. */
export const keptOf = (token: string, from: string, amount: bigint): bigint =>
  token === odd && from !== solver.evm ? amount * KEPT_BPS / 10_000n : 0n

interface Moved {
  readonly storage: Storage
  readonly logs: ReadonlyArray<Log>
  readonly arrived: bigint
  readonly isNewHolder: boolean
}

/** Undefined when the token refuses. Hollow: nothing is moved. */
const move = (
  storage: Storage,
  { frozen, tokenMood }: Weather,
  token: string,
  from: string,
  to: string,
  amount: bigint
): Moved | "hollow" | undefined => {
  const of = (account: string) => storage.get(holding(token, account)) ?? 0n
  if (of(from) < amount || (token === usdt && (tokenMood === "refuses" || frozen.has(to)))) return undefined
  if (token === usdt && tokenMood === "hollow") return "hollow"
  const kept = keptOf(token, from, amount)
  const after = new Map(storage)
  const add = (account: string, units: bigint) =>
    after.set(holding(token, account), (after.get(holding(token, account)) ?? 0n) + units)
  add(from, -amount)
  add(to, amount - kept)
  if (kept > 0n) add(keeper, kept)
  return {
    storage: after,
    arrived: amount - kept,
    isNewHolder: of(to) === 0n,
    logs: [
      transferLog(token, from, to, amount - kept),
      ...(kept === 0n ? [] : [transferLog(token, from, keeper, kept)])
    ]
  }
}

const TRUE = number(1n)
const FALSE = number(0n)

/** Calls a contract of the chain. */
export const call = (storage: Storage, weather: Weather, { contract: called, input, owner, value }: Call): Called => {
  const energy = (usual: bigint): bigint => usual * weather.energyPercent / 100n
  const reverted: Called = { _tag: "Reverted", energy: energy(energies.refused) }
  const done = (usual: bigint, answer: string, logs: ReadonlyArray<Log> = [], after = storage): Called => ({
    _tag: "Done",
    storage: after,
    logs,
    answer,
    energy: energy(usual)
  })
  if (called === contract) {
    const log = nativeDepositLog(input, value)
    if (log !== undefined) return done(energies.nativeDeposit, "", [log])
    const [, depositor = "", token, amount, id = ""] = calls.depositErc20.exec(input) ?? []
    if (token === undefined || amount === undefined || value > 0n) return reverted
    const [at, units] = [accountIn(token), BigInt(`0x${amount}`)]
    const allowed = storage.get(allowance(at, owner)) ?? 0n
    const moved = allowed < units ? undefined : move(storage, weather, at, owner, contract, units)
    if (moved === undefined || moved === "hollow" || moved.arrived === 0n) return reverted
    const deposited: Log = {
      address: contract,
      topics: [topics.erc20Deposit],
      data: `0x${depositor}${token}${number(moved.arrived)}${id}`
    }
    return done(
      energies.tokenDeposit,
      "",
      [...moved.logs, deposited],
      new Map(moved.storage).set(allowance(at, owner), allowed - units)
    )
  }
  if (!isContract(called) || value > 0n) return reverted
  const [, recipient, paid] = calls.transfer.exec(input) ?? []
  if (recipient !== undefined && paid !== undefined) {
    const moved = move(storage, weather, called, owner, accountIn(recipient), BigInt(`0x${paid}`))
    if (moved === undefined) return reverted
    if (moved === "hollow") return done(energies.transfer, FALSE)
    const usual = energies.transfer + (moved.isNewHolder ? energies.newHolder : 0n)
    return done(usual, called === usdt ? FALSE : TRUE, moved.logs, moved.storage)
  }
  const [, spender, allowed] = calls.approve.exec(input) ?? []
  if (spender !== undefined && allowed !== undefined) {
    const [place, units] = [allowance(called, owner), BigInt(`0x${allowed}`)]
    if (accountIn(spender) !== contract) return reverted
    if (called === usdt && units > 0n && (storage.get(place) ?? 0n) > 0n) return reverted
    return done(energies.approval, TRUE, [], new Map(storage).set(place, units))
  }
  const [, holder] = calls.balanceOf.exec(input) ?? []
  if (holder !== undefined) return done(0n, number(storage.get(holding(called, accountIn(holder))) ?? 0n))
  const [, allower] = calls.allowance.exec(input) ?? []
  return allower === undefined ? reverted : done(0n, number(storage.get(allowance(called, accountIn(allower))) ?? 0n))
}
