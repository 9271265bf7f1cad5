/**
 * Deposit events of the depository, from raw logs (spec/4 §6, ethereum-vm): pure, total, fuzzed.
 *
 * Only logs of the depository's own address count: anybody can emit the same event elsewhere.
 */
import { Result, Schema } from "effect"
import { decodeAbiParameters, parseAbi, toEventSelector, zeroAddress } from "viem"
import type { Hex as ViemHex } from "viem"
import { addressCodec } from "../../../src/domain/chain/Address.ts"
import type { Address, CurrencyAddress } from "../../../src/domain/chain/Address.ts"
import { Hex32FromString } from "../../../src/domain/chain/Hex.ts"
import type { Hex32 } from "../../../src/domain/chain/Hex.ts"

/** Nothing is indexed: all of it stands in the data. */
export const depositEvents = parseAbi([
  "event RelayNativeDeposit(address from, uint256 amount, bytes32 id)",
  "event RelayErc20Deposit(address from, address token, uint256 amount, bytes32 id)"
])

const nativeTopic = toEventSelector(depositEvents[0])
const erc20Topic = toEventSelector(depositEvents[1])

const nativeData = [{ type: "address" }, { type: "uint256" }, { type: "bytes32" }] as const
const erc20Data = [{ type: "address" }, { type: "address" }, { type: "uint256" }, { type: "bytes32" }] as const

export interface RawLog {
  readonly address: string
  readonly topics: ReadonlyArray<string>
  readonly data: ViemHex
}

export interface DepositLog {
  readonly depositor: Address
  readonly currency: CurrencyAddress
  readonly amount: bigint
  readonly depositId: Hex32
}

const { parse, parseCurrency } = addressCodec("ethereum-vm")
const parseId = Schema.decodeUnknownOption(Hex32FromString)

const make = (depositor: string, currency: string, amount: bigint, id: string): DepositLog | undefined => {
  const from = parse(depositor)
  const token = parseCurrency(currency)
  const depositId = parseId(id)
  return Result.isSuccess(from) && Result.isSuccess(token) && depositId._tag === "Some"
    ? { depositor: from.success, currency: token.success, amount, depositId: depositId.value }
    : undefined
}

const decodeData = (topic: string, data: ViemHex): DepositLog | undefined => {
  if (topic === nativeTopic) {
    const [from, amount, id] = decodeAbiParameters(nativeData, data)
    return make(from, zeroAddress, amount, id)
  }
  if (topic === erc20Topic) {
    const [from, token, amount, id] = decodeAbiParameters(erc20Data, data)
    return make(from, token, amount, id)
  }
  return undefined
}

/** The deposit that a log of `depository` records, or undefined when it records none. */
export const decodeDepositLog = (depository: Address, log: RawLog): DepositLog | undefined => {
  const [topic, ...rest] = log.topics
  if (log.address.toLowerCase() !== depository || topic === undefined || rest.length > 0) return undefined
  try {
    return decodeData(topic.toLowerCase(), log.data)
  } catch {
    // viem throws on data that is shorter than the event's: such a log records no deposit.
    return undefined
  }
}
