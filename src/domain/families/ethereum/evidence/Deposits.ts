/**
 * Which deposits a transaction on an EVM-like chain makes (EVM-3). The service that fills and the oracle that attests
 * share this code.
 *
 * Native currency: the depository's own event. Tokens: the Transfer that reached the depository gives the received
 * amount. A later event of the depository for the same token and amount gives the depositor and the order. Pure and
 * total.
 */
import type { Address } from "../../../chain/Address.ts"
import { asCurrency } from "../../AddressCodec.ts"
import { ethereumAddresses } from "../EthereumAddresses.ts"
import type { Hex, Hex32 } from "../../../encoding/Hex.ts"
import { ZERO_32 } from "../../../encoding/Hex.ts"
import type { DepositEvidence } from "../../../evidence/TransactionEvidence.ts"
import { idInCalldata } from "./CalldataId.ts"
import { erc20DepositOf, nativeDepositOf, transferOf } from "./Events.ts"
import type { Erc20Deposit, TokenTransfer } from "./Events.ts"
import type { EvmLog, EvmCall } from "./EvmTransaction.ts"

/**
 * Chains that mirror native movements as Transfers have them come from such an address: the zkSync stack's, and that of
 * EIP-7708. These are Transfers, but not deposits.
 */
const nativeMirrors: ReadonlySet<string> = new Set([
  "0x000000000000000000000000000000000000800a",
  "0xfffffffffffffffffffffffffffffffffffffffe"
])

/** Finds the id in calldata for a token deposit of `amount` that no event names. Undefined when there is none. */
export type WrittenId = (input: Hex, depository: Address, amount: bigint) => Hex32 | undefined

interface Received {
  readonly log: EvmLog
  readonly transfer: TokenTransfer
  /** Its position among the transaction's logs. */
  readonly at: number
}

const nativeDeposit = (depository: Address, log: EvmLog): DepositEvidence | undefined => {
  const said = log.address === depository ? nativeDepositOf(log) : undefined
  return said === undefined ? undefined : {
    depository,
    index: log.logIndex,
    depositId: said.id,
    depositor: said.depositor,
    currency: ethereumAddresses.nativeCurrency,
    amount: said.amount
  }
}

/** The depository's event for a Transfer. It comes after the Transfer and before the next one into the depository. */
const eventFor = (
  logs: ReadonlyArray<EvmLog>,
  depository: Address,
  received: Received,
  until: number
): Erc20Deposit | undefined => {
  for (const log of logs.slice(received.at + 1, until)) {
    const said = log.address === depository ? erc20DepositOf(log) : undefined
    if (said !== undefined && said.token === received.log.address && said.amount === received.transfer.amount) {
      return said
    }
  }
  return undefined
}

const tokenDeposit = (
  { input, logs }: EvmCall,
  depository: Address,
  received: Received,
  { only, until, writtenId }: { readonly only: boolean; readonly until: number; readonly writtenId: WrittenId }
): DepositEvidence => {
  const { log, transfer } = received
  const said = eventFor(logs, depository, received, until)
  const written = said === undefined && only ? writtenId(input, depository, transfer.amount) : undefined
  return {
    depository,
    index: log.logIndex,
    depositId: said?.id ?? written ?? ZERO_32,
    depositor: said?.depositor ?? transfer.from,
    currency: asCurrency(log.address),
    amount: transfer.amount
  }
}

/**
 * The account that each deposit's token came from, as the token reports it, by the deposit's index. Native deposits
 * have no entry.
 */
export const payersOf = ({ logs }: EvmCall): ReadonlyMap<number, Address> =>
  new Map(logs.flatMap((log): ReadonlyArray<readonly [number, Address]> => {
    const transfer = transferOf(log)
    return transfer === undefined ? [] : [[log.logIndex, transfer.from]]
  }))

/**
 * Every deposit that the transaction makes into the depository, in the order of its logs. `writtenId` finds ids in
 * calldata, which differs by family.
 */
export const depositsOf = (
  transaction: EvmCall,
  depository: Address,
  writtenId: WrittenId = idInCalldata
): ReadonlyArray<DepositEvidence> => {
  const { logs } = transaction
  const received = logs.flatMap((log, at): ReadonlyArray<Received> => {
    const transfer = transferOf(log)
    return transfer !== undefined && transfer.to === depository ? [{ log, transfer, at }] : []
  })
  const only = received.length === 1
  // A map by position, since a transaction may contain thousands of deposits.
  const places = new Map(received.map((own, place) => [own.at, { own, until: received[place + 1]?.at ?? logs.length }]))
  return logs.flatMap((log, at): ReadonlyArray<DepositEvidence> => {
    const native = nativeDeposit(depository, log)
    if (native !== undefined) return [native]
    const place = places.get(at)
    if (place === undefined || nativeMirrors.has(log.address)) return []
    return [tokenDeposit(transaction, depository, place.own, { only, writtenId, until: place.until })]
  })
}
