/** What a chain takes for data on L1 is asked in the requests that a price makes anyway. */
import { assert, it } from "@effect/vitest"
import { Effect, Redacted, Result, Schema } from "effect"
import { readFileSync } from "node:fs"
import { secp256k1Signer } from "../../../../adapters/signing/testing/TestSigners.ts"
import { layer as layerPorts } from "../../../../adapters/ethereum/TransferPorts.ts"
import { Gas } from "../../../../ports/chain/Gas.ts"
import type { FillPayment } from "../../../../ports/chain/PaymentKinds.ts"
import { EthereumAddress } from "../../../../src/domain/chain/Address.ts"
import type { L1DataFee } from "../../../../src/domain/chain/ConfiguredChain.ts"
import { OrderId } from "../../../../src/domain/order/Order.ts"
import { chainOf } from "../../../configuration/entries/ChainFromEntry.ts"
import { ChainsFile } from "../../../configuration/entries/ChainsFile.ts"
import { families } from "../../../families.ts"
import { lyingNode } from "../../testing/LyingNode.ts"
import { startChainsWith } from "../../testing/TestChains.ts"
import { setL1Fees } from "./testing/OpStack.ts"

const file = new URL("../../../../configs/chains.local.json", import.meta.url)
const [entry] = Schema.decodeUnknownSync(Schema.fromJsonString(ChainsFile))(readFileSync(file, "utf8"))

const payment = (l1DataFee: L1DataFee | undefined): FillPayment => {
  if (entry === undefined) throw new Error("configs/chains.local.json is empty")
  const plain = Result.getOrThrow(chainOf(entry, families))
  const chain = l1DataFee === undefined ? plain : { ...plain, l1DataFee }
  return {
    _tag: "Fill",
    chain,
    currency: chain.native,
    recipient: EthereumAddress.make(`0x${"0b".repeat(20)}`),
    amount: 1n,
    orderId: OrderId.make(`0x${"11".repeat(32)}`),
    topup: 0n,
    authorizations: [],
    calls: undefined
  }
}

it.live("a price makes as many requests on a rollup as anywhere, and is higher only where data costs a fee", () =>
  Effect.scoped(Effect.gen(function*() {
    const { alpha, operatorKey, solverKey } = yield* startChainsWith(["--network", "optimism"])
    yield* setL1Fees(alpha, { base: 10n ** 12n, blob: 10n ** 12n })
    const node = yield* lyingNode(alpha.url)
    const ports = layerPorts(
      { urls: new Map([[payment(undefined).chain.id, [Redacted.make(node.url)]]]) },
      { solver: secp256k1Signer(solverKey), operator: secp256k1Signer(operatorKey), deposits: undefined }
    )
    yield* Effect.gen(function*() {
      const gas = yield* Gas
      const priced = Effect.fnUntraced(function*(l1DataFee: L1DataFee | undefined) {
        // The first one also asks for the chain's number.
        yield* gas.ofPayment(payment(l1DataFee))
        const before = node.requests()
        const cost = yield* gas.ofPayment(payment(l1DataFee))
        return { cost, requests: node.requests() - before }
      })
      const [plain, arbitrum, opStack] = [
        yield* priced(undefined),
        yield* priced("arbitrum"),
        yield* priced("op-stack")
      ]
      assert.isTrue(plain.requests > 0)
      assert.deepStrictEqual([arbitrum.requests, opStack.requests], [plain.requests, plain.requests])
      assert.isTrue(opStack.cost > 2n * plain.cost && arbitrum.cost < 2n * plain.cost)
    }).pipe(Effect.provide(ports))
  })))
