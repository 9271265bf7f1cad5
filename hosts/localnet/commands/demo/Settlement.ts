/**
 * Shows how a transfer is settled. The service has the oracle attest its deposit and its fill, and submits both to the
 * hub, where the deposit then belongs to the solver. Uses only the HTTP APIs and the hub's node: what the oracle
 * attests to any client, and the result.
 */
import { Clock, Effect } from "effect"
import type { Address, Hex } from "viem"
import { concat, getAddress, keccak256, slice, stringToHex } from "viem"
import { LocalnetError } from "../../run/LocalnetError.ts"
import type { Screen } from "../../../cli/Screen.ts"
import { amountText } from "./DemoChain.ts"
import type { Currency } from "./DemoChain.ts"
import { attest, DepositsAnswer, FillAnswer } from "./OracleApi.ts"
import type { OracleAccess } from "./OracleApi.ts"
import { settlements } from "./TransferApi.ts"
import type { ChainAccess } from "./Wallet.ts"
import { hubTransfers } from "./Wallet.ts"

export interface HubAccess extends ChainAccess {
  readonly hubAddress: Address
  readonly oracleAddress: Address
}

/** What names a finished transfer. */
export interface Settled {
  readonly from: string
  readonly order: { readonly solverChainId: string; readonly solver: Hex }
  readonly orderSignature: string
  readonly deposit: string
  readonly fill: string
  /** Smallest units of `currency`. */
  readonly deposited: bigint
  /** What was deposited. */
  readonly currency: Currency
}

/** The finality of two chains and of the hub, and everything between, on a slow machine. */
const PATIENCE_MS = 180_000
const AGAIN_MS = 100

/** The solver's account on the hub: the last 20 bytes of keccak256(chain ‖ address). */
const aliasOf = ({ solver, solverChainId }: Settled["order"]): Address =>
  getAddress(slice(keccak256(concat([stringToHex(solverChainId), solver])), 12))

/** Whether a transaction on the hub gave the solver of an order so many units. */
export const gaveSolver = (hub: HubAccess, order: Settled["order"], transaction: string, amount: bigint) =>
  Effect.map(
    hubTransfers(hub, hub.hubAddress, transaction),
    (transfers) => transfers.some((each) => each.to === aliasOf(order) && each.amount === amount)
  )

/** Waits for the transaction that settled the deposit, until it is final on the hub. */
const untilSettled = Effect.fnUntraced(function*(transferUrl: string, deposit: string) {
  const since = yield* Clock.currentTimeMillis
  while (true) {
    const found = (yield* settlements(transferUrl, deposit)).find(({ inTxHash }) => inTxHash === deposit)
    if (found?.state === "settled" && found.txHash !== null) return found.txHash
    if ((yield* Clock.currentTimeMillis) - since > PATIENCE_MS) {
      return yield* new LocalnetError({
        message: `the deposit is ${found?.state ?? "unknown"} on the hub after ${PATIENCE_MS / 1000} s${
          found?.reason == null ? "" : `: ${found.reason}`
        }`
      })
    }
    yield* Effect.sleep(AGAIN_MS)
  }
})

/** The oracle that attests deposit and fill, as soon as both are final. */
const attester = Effect.fnUntraced(
  function*(oracle: OracleAccess, { deposit, fill, from, order, orderSignature }: Settled) {
    const { messages: [message] } = yield* attest(oracle, "depository-deposits", {
      chainId: from,
      transactionId: deposit
    }, DepositsAnswer)
    if (message === undefined) return yield* new LocalnetError({ message: "the oracle saw no deposit" })
    const { execution } = yield* attest(oracle, "solver-fills", {
      order,
      orderSignature,
      inputs: [{ transactionId: deposit, onchainId: message.result.onchainId, inputIndex: 0 }],
      fill: { transactionId: fill }
    }, FillAnswer)
    return execution.signatures[0]?.oracleSigner ?? ""
  }
)

/**
 * Prints the oracle and the settling transaction. Fails unless that transaction gave the solver the deposited amount.
 */
export const settle = Effect.fn("Settlement.settle")(
  function*(hub: HubAccess, oracle: OracleAccess, transferUrl: string, transfer: Settled, screen: Screen) {
    const { currency, deposit, deposited, order } = transfer
    yield* screen.line(`  attested deposit and fill, by oracle ${yield* attester(oracle, transfer)}`)
    const transaction = yield* untilSettled(transferUrl, deposit)
    yield* screen.line(
      `  settled ${amountText(deposited, currency)} are the solver's on the hub ${screen.dim(transaction)}`
    )
    if (!(yield* gaveSolver(hub, order, transaction, deposited))) {
      return yield* new LocalnetError({
        message: `deposited were ${amountText(deposited, currency)}, but no transfer on the hub gave the solver as much`
      })
    }
    return deposited
  }
)
