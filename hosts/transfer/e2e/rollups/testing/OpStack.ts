/**
 * A local chain that charges for data on L1 as the OP stack does. The charge is real: anvil takes it from each sender by
 * op-revm's rules. Anvil has no GasPriceOracle, so a contract of ours with the specified formula stands in its place, and
 * receipts lack `l1Fee`, so a node in front of it adds what the sender has really paid.
 */
import { Effect, Schema } from "effect"
import { numberToHex, toHex } from "viem"
import type { Hex } from "viem"
import { bytecode } from "../../../../../adapters/ethereum/contracts/artifacts/TestGasPriceOracle.ts"
import { gasPriceOracle } from "../../../../../src/domain/families/ethereum/GasPriceOracle.ts"
import type { Anvil } from "../../../../localnet/nodes/ethereum/Anvil.ts"
import { reader } from "../../../testing/Client.ts"
import type { Lie, LyingNode } from "../../../testing/LyingNode.ts"

const L1_BLOCK: Hex = "0x4200000000000000000000000000000000000015"

/** As Base had them in 2025. */
const SCALARS = { base: 2_269n, blob: 1_055_762n }

const BASE_FEE_SLOT = 1n
const SCALARS_SLOT = 3n
const BLOB_BASE_FEE_SLOT = 7n
const OPERATOR_SLOT = 8n

/** Base fees of L1, wei. */
export interface L1Fees {
  readonly base: bigint
  readonly blob: bigint
  /** The operator's fee: for a million gas, and for each transaction. None when absent. */
  readonly operator?: { readonly scalar: bigint; readonly constant: bigint }
}

/** From the next block on transactions pay these, and the oracle tells them. */
export const setL1Fees = Effect.fnUntraced(
  function*(anvil: Anvil, { base, blob, operator = { scalar: 0n, constant: 0n } }: L1Fees) {
    const client = reader(anvil)
    const store = (address: Hex, slot: bigint, value: bigint) =>
      anvil.request("anvil_setStorageAt", [address, toHex(slot), numberToHex(value, { size: 32 })])
    // What the constructor returns is the code.
    const { data = "0x" } = yield* Effect.promise(() => client.call({ data: bytecode }))
    yield* anvil.setCode(gasPriceOracle, data)
    yield* store(gasPriceOracle, 0n, 16n * base * SCALARS.base + blob * SCALARS.blob)
    yield* store(gasPriceOracle, 1n, (operator.scalar << 128n) + operator.constant)
    yield* store(L1_BLOCK, OPERATOR_SLOT, (operator.scalar << 64n) + operator.constant)
    yield* store(L1_BLOCK, BASE_FEE_SLOT, base)
    yield* store(L1_BLOCK, BLOB_BASE_FEE_SLOT, blob)
    // The scalars are at the bytes 16 and 20 of their slot.
    yield* store(L1_BLOCK, SCALARS_SLOT, (SCALARS.base << 96n) + (SCALARS.blob << 64n))
  }
)

const Receipt = Schema.Struct({
  from: Schema.TemplateLiteral(["0x", Schema.String]),
  transactionHash: Schema.TemplateLiteral(["0x", Schema.String]),
  status: Schema.String,
  blockNumber: Schema.String
})
const isReceipt = Schema.is(Receipt)

/** What the sender of a transaction has lost in its block besides the value that it sent: the only one of its sender there. */
export const spentBy = async (anvil: Anvil, hash: Hex): Promise<bigint> => {
  const client = reader(anvil)
  const [{ blockNumber, from, status }, { value }] = await Promise.all([
    client.getTransactionReceipt({ hash }),
    client.getTransaction({ hash })
  ])
  const { transactions } = await client.getBlock({ blockNumber, includeTransactions: true })
  if (transactions.filter((each) => each.from === from).length !== 1) {
    throw new Error("its sender has others in its block")
  }
  const [before, after] = await Promise.all([
    client.getBalance({ address: from, blockNumber: blockNumber - 1n }),
    client.getBalance({ address: from, blockNumber })
  ])
  return before - after - (status === "success" ? value : 0n)
}

/** Receipts of this node have `l1Fee` and the numbers of the operator's fee, as those of the OP stack do. */
export const showL1Fees = (node: LyingNode, anvil: Anvil): void => {
  const lie: Lie = async (call, truth) => {
    const answer = await truth()
    if (call.method !== "eth_getTransactionReceipt" || !isReceipt(answer.result)) return answer
    const client = reader(anvil)
    const { blockNumber, effectiveGasPrice, gasUsed } = await client.getTransactionReceipt({
      hash: answer.result.transactionHash
    })
    const stored = BigInt(
      (await client.getStorageAt({ address: L1_BLOCK, slot: toHex(OPERATOR_SLOT), blockNumber })) ?? 0
    )
    const operator = { scalar: stored >> 64n, constant: stored & (2n ** 64n - 1n) }
    const spent = await spentBy(anvil, answer.result.transactionHash)
    const l1Fee = spent - gasUsed * effectiveGasPrice - gasUsed * operator.scalar / 1_000_000n - operator.constant
    const shown = {
      l1Fee: toHex(l1Fee),
      operatorFeeScalar: toHex(operator.scalar),
      operatorFeeConstant: toHex(operator.constant)
    }
    return { result: { ...answer.result, ...shown } }
  }
  node.lie(lie)
}
