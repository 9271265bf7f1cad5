import { families } from "../../../../src/domain/families/index.ts"
import { assert, layer } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Redacted, Result, Schema } from "effect"
import {
  createTestClient,
  encodeDeployData,
  encodeFunctionData,
  erc20Abi,
  http,
  publicActions,
  toHex,
  walletActions
} from "viem"
import type { Address, Hex } from "viem"
import { generatePrivateKey } from "viem/accounts"
import { abi as gateAbi, bytecode as gateCode } from "../../../../adapters/ethereum/contracts/artifacts/OracleGate.ts"
import { abi as hubAbi, bytecode as hubCode } from "../../../../adapters/ethereum/contracts/artifacts/Hub.ts"
import {
  EthereumQuorums,
  layer as observerLayer,
  observedEndpoints
} from "../../../../adapters/ethereum/observe/Observer.ts"
import * as CloudKmsAttestationSigner from "../../../../adapters/signing/CloudKmsAttestationSigner.ts"
import * as LocalAttestationSigner from "../../../../adapters/signing/LocalAttestationSigner.ts"
import { layer as signaturesLayer } from "../../../../adapters/signing/LocalSignatures.ts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { localKms } from "../../../../adapters/signing/testing/kms/LocalKms.ts"
import type { AttestationSigner } from "../../../../ports/signing/AttestationSigner.ts"
import { Chains } from "../../../../ports/chain/Chains.ts"
import { Hubs } from "../../../../ports/hub/Hubs.ts"
import { shows } from "../../../../scripts/testing/Shows.ts"
import { Hex32, HexFromString } from "../../../../src/domain/encoding/Hex.ts"
import { Order } from "../../../../src/domain/order/Order.ts"
import { alias } from "../../../../src/domain/hub/Alias.ts"
import { hubTokenId } from "../../../../src/domain/hub/HubTokenId.ts"
import { orderAddress } from "../../../../src/domain/hub/OrderAddress.ts"
import { CheckedConfiguration } from "../../../../src/services/operations/CheckedConfiguration.ts"
import { Attesting, layer as attestingLayer } from "../../../../src/services/attesting/Attesting.ts"
import type { SignedExecution } from "../../../../src/services/attesting/SignedExecution.ts"
import { loadMarket } from "../../../configuration/LoadChains.ts"
import { Anvil } from "../../../localnet/nodes/ethereum/Anvil.ts"
import { ended, execute, postQuote, QuoteAnswer } from "../../../transfer/testing/Client.ts"
import { ETH, USDC } from "../../../transfer/testing/Tokens.ts"
import type { TestCurrency } from "../../../transfer/testing/Tokens.ts"
import { lyingNode } from "../../../transfer/testing/LyingNode.ts"
import { startNetwork } from "../../../transfer/testing/TransferNetwork.ts"
import { privateKeyToAccount } from "viem/accounts"

const HUB_ID = 616_199

/** A hub chain with both contracts, with these oracles. Everything is sent from anvil's first account. */
const startHub = Effect.fnUntraced(function*(oracles: ReadonlyArray<Address>) {
  const anvil = yield* Anvil.start({ chainId: HUB_ID })
  return yield* Effect.promise(async () => {
    const client = createTestClient({ mode: "anvil", transport: http(anvil.url), pollingInterval: 5 }).extend(
      publicActions
    ).extend(walletActions)
    const [owner] = await client.getAddresses()
    if (owner === undefined) throw new Error("anvil has no account")
    const mined = async (hash: Hex) => client.waitForTransactionReceipt({ hash })
    const create = async (data: Hex): Promise<Address> => {
      const { contractAddress } = await mined(
        await client.sendTransaction({ account: owner, chain: null, data, gas: 6_000_000n })
      )
      if (!contractAddress) throw new Error("deployment failed")
      return contractAddress
    }
    const hub = await create(encodeDeployData({ abi: hubAbi, bytecode: hubCode, args: [owner] }))
    const gate = await create(
      encodeDeployData({ abi: gateAbi, bytecode: gateCode, args: [hub, owner, "RelayOracle", "1", [...oracles], 1n] })
    )
    await mined(
      await client.sendTransaction({
        account: owner,
        chain: null,
        to: hub,
        data: encodeFunctionData({ abi: hubAbi, functionName: "setGate", args: [gate, true] })
      })
    )
    const submit = async ({ actions, idempotencyKey, signatures }: SignedExecution) => {
      const data = encodeFunctionData({
        abi: gateAbi,
        functionName: "execute",
        args: [{ idempotencyKey, actions: [...actions] }, signatures.map(({ signature }) => signature)]
      })
      return (await mined(
        await client.sendTransaction({ account: owner, chain: null, to: gate, data, gas: 3_000_000n })
      )).status
    }
    const held = (account: string, id: bigint): Promise<bigint> =>
      client.readContract({
        abi: hubAbi,
        address: hub,
        functionName: "balanceOf",
        args: [toHex(BigInt(account), { size: 20 }), id]
      })
    return { gate, submit, held }
  })
})

const makeRunning = Effect.gen(function*() {
  const network = yield* startNetwork
  const { url } = yield* network.startInstance()
  // The first signs with a KMS, the other with a key of its own.
  const kms = yield* localKms
  const key = generatePrivateKey()
  const hub = yield* startHub([toHex(kms.secret), key].map((each) => privateKeyToAccount(each).address))
  const { alpha, beta } = network.chains
  const provider = ConfigProvider.fromUnknown({ ALPHA_RPC_URL: alpha.url, BETA_RPC_URL: beta.url })
  const { chains, settlement } = yield* Effect.orDie(
    Effect.provideService(loadMarket("local", ["alpha", "beta"]), ConfigProvider.ConfigProvider, provider)
  )
  const nodes = { alpha: yield* lyingNode(alpha.url), beta: yield* lyingNode(beta.url) }
  const endpointAt = (anvil: string) => Result.getOrThrow(observedEndpoints([Redacted.make(anvil)]))
  const { account: { accessKeyId, region, secretAccessKey }, keyId, url: endpoint } = kms
  const kmsSigner = CloudKmsAttestationSigner.layer({
    keyId,
    region,
    endpoint,
    credentials: { accessKeyId, secretAccessKey: Redacted.make(secretAccessKey) }
  })
  const oracle = <E, R>(signer: Layer.Layer<AttestationSigner, E, R>) =>
    attestingLayer.pipe(Layer.provide([
      Layer.mock(CheckedConfiguration, { assertServing: () => Effect.void }),
      Layer.succeed(Chains, { all: chains }),
      observerLayer.pipe(Layer.provide(Layer.succeed(EthereumQuorums, {
        of: new Map(
          chains.map((chain) => [chain.id, endpointAt(chain.slug === "alpha" ? nodes.alpha.url : nodes.beta.url)])
        )
      }))),
      signer.pipe(Layer.provideMerge(signaturesLayer)),
      Layer.succeed(Hubs, {
        domains: [{
          name: "RelayOracle",
          version: "1",
          chainId: BigInt(HUB_ID),
          verifyingContract: hub.gate.toLowerCase()
        }]
      })
    ]))
  const localSigner = LocalAttestationSigner.layer(Redacted.make(Hex32.make(key)))
  return {
    ...network,
    url,
    hub,
    nodes,
    settlement,
    oracles: [oracle(kmsSigner), oracle(localSigner)] as const,
    chain: chains[0]
  }
})

class Running extends fixtureOf<Running>()("test/SettlementRunning", makeRunning) {}

const Protocol = Schema.Struct({
  protocol: Schema.Struct({ v2: Schema.Struct({ orderData: Order, orderSignature: HexFromString }) })
})

/** A completed transfer from alpha to beta with final transactions, and the order of its quote. */
const transfer = Effect.fnUntraced(function*(index: number, currency: TestCurrency, changes: object = {}) {
  const { chains, url } = yield* Running
  const key = chains.users[index] ?? "0x"
  const answer = yield* postQuote(url, {
    user: privateKeyToAccount(key).address,
    originChainId: chains.alpha.chainId,
    destinationChainId: chains.beta.chainId,
    originCurrency: currency.address,
    destinationCurrency: currency.address,
    amount: currency.some.toString(),
    tradeType: "EXACT_INPUT",
    includeProtocolData: true,
    ...changes
  })
  const quoted = Schema.decodeUnknownSync(QuoteAnswer)(answer.json())
  const { protocol: { v2 } } = Schema.decodeUnknownSync(Protocol)(answer.json())
  const receipts = yield* execute(chains.alpha, key, quoted)
  const end = yield* ended(url, quoted)
  yield* Effect.all([chains.alpha.mine(3), chains.beta.mine(3)])
  return {
    deposit: receipts.at(-1)?.transactionHash ?? "0x",
    end,
    order: v2.orderData,
    orderSignature: v2.orderSignature
  }
})

layer(Running.layer, { excludeTestServices: true })("claims that the oracle attests and the hub accepts", (it) => {
  const attesting = Effect.fnUntraced(
    function*<A, E>(index: 0 | 1, use: (attesting: Attesting["Service"]) => Effect.Effect<A, E>) {
      const { oracles } = yield* Running
      return yield* Effect.provide(Effect.flatMap(Attesting, use), oracles[index])
    }
  )

  for (const [name, currency, index] of [["native currency", ETH, 0], ["a token", USDC, 1]] as const) {
    it.effect(
      `a deposit of ${name} is minted to the order, its fill moves it to the solver, each once, to the unit`,
      () =>
        Effect.gen(function*() {
          const { chain, hub, settlement } = yield* Running
          if (chain === undefined) return yield* Effect.die(new Error("no chain"))
          const { deposit, end, order, orderSignature } = yield* transfer(index, currency)
          const attested = yield* attesting(
            0,
            ({ deposits }) => deposits({ chainId: chain.slug, transactionId: deposit })
          )
          const [one, ...more] = attested.deposits
          assert.lengthOf(more, 0)
          if (one === undefined || attested.execution === undefined) {
            return yield* Effect.die(new Error("no deposit was attested"))
          }
          assert.strictEqual(one.message.amount, currency.some)
          const token = Result.getOrThrow(hubTokenId(chain, one.message.currency as never))
          const account = Result.getOrThrow(
            orderAddress(chain, one.message.depositor, BigInt(one.timestamp), one.message.depositId)
          )
          assert.strictEqual(yield* Effect.promise(() => hub.submit(attested.execution as SignedExecution)), "success")
          assert.strictEqual(yield* Effect.promise(() => hub.held(account, token)), currency.some)
          assert.strictEqual(yield* Effect.promise(() => hub.submit(attested.execution as SignedExecution)), "reverted")

          const claim = {
            order,
            orderSignature,
            inputs: [{ transactionId: deposit, onchainId: one.message.onchainId, inputIndex: 0 }],
            fill: { transactionId: end.txHashes[0] ?? "0x" }
          }
          const filled = yield* attesting(0, ({ fill }) => fill(claim))
          const other = yield* attesting(1, ({ fill }) => fill(claim))
          assert.deepStrictEqual([other.execution.idempotencyKey, other.execution.actions], [
            filled.execution.idempotencyKey,
            filled.execution.actions
          ])
          assert.notStrictEqual(other.execution.signatures[0]?.signature, filled.execution.signatures[0]?.signature)
          const solver = Result.getOrThrow(
            alias({ slug: settlement.chain.slug, family: families["ethereum-vm"], network: "mainnet" }, order.solver)
          )
          const before = yield* Effect.promise(() => hub.held(solver, token))
          assert.strictEqual(yield* Effect.promise(() => hub.submit(filled.execution)), "success")
          assert.strictEqual((yield* Effect.promise(() => hub.held(solver, token))) - before, currency.some)
          assert.strictEqual(yield* Effect.promise(() => hub.held(account, token)), 0n)
          // The other oracle's signature is equally valid, and comes too late.
          assert.strictEqual(yield* Effect.promise(() => hub.submit(other.execution)), "reverted")
        }),
      shows("ethereum-vm", "deposit", "payment")
    )
  }

  it.effect(
    "a fill with calls takes four reads of each chain, both chains concurrently, in two round trips",
    () =>
      Effect.gen(function*() {
        const { chain, nodes } = yield* Running
        if (chain === undefined) return
        const transferCall = {
          to: USDC.address,
          value: "0",
          data: encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [toHex(0xca11, { size: 20 }), 7n] })
        }
        const { deposit, end, order, orderSignature } = yield* transfer(3, USDC, { txs: [transferCall, transferCall] })
        assert.lengthOf(order.output.calls, 2)
        const onchainId = yield* Effect.map(
          attesting(1, ({ deposits }) => deposits({ chainId: chain.slug, transactionId: deposit })),
          ({ deposits: [one] }) => one?.message.onchainId ?? Hex32.make(`0x${"00".repeat(32)}`)
        )
        // After this, the oracle knows that its endpoints are on their chains.
        yield* attesting(0, ({ deposits }) => deposits({ chainId: chain.slug, transactionId: `0x${"78".repeat(32)}` }))
          .pipe(Effect.ignore)
        const counts = () => [nodes.alpha, nodes.beta].map((node) => [node.calls(), node.requests()] as const)
        const claim = {
          order,
          orderSignature,
          inputs: [{ transactionId: deposit, onchainId, inputIndex: 0 }],
          fill: { transactionId: end.txHashes[0] ?? "0x" }
        }
        const before = counts()
        const filled = yield* attesting(0, ({ fill }) => fill(claim))
        assert.strictEqual(filled.result.status, 1)
        const used = counts().map((
          [calls, requests],
          index
        ) => [calls - (before[index]?.[0] ?? 0), requests - (before[index]?.[1] ?? 0)])
        // A new endpoint is also asked for its chain id, in the same round trip.
        assert.deepStrictEqual(used.map(([calls = 0]) => calls <= 5), [true, true], JSON.stringify(used))
        assert.deepStrictEqual(used.map(([, requests]) => requests), [2, 2])
      }),
    shows("ethereum-vm", "calls")
  )

  it.effect("a refund settles the order as well; neither it nor the deposit proves a fill", () =>
    Effect.gen(function*() {
      const { chain } = yield* Running
      if (chain === undefined) return
      const { deposit, end, order, orderSignature } = yield* transfer(2, USDC, { referrer: "force-refund" })
      assert.strictEqual(end.status, "refund")
      const attested = yield* attesting(0, ({ deposits }) => deposits({ chainId: chain.slug, transactionId: deposit }))
      const inputs = [{
        transactionId: deposit,
        onchainId: attested.deposits[0]?.message.onchainId ?? Hex32.make(`0x${"00".repeat(32)}`),
        inputIndex: 0
      }]
      const paid = end.txHashes[0] ?? "0x"
      const refunded = yield* attesting(
        0,
        ({ refund }) =>
          refund({ order, orderSignature, inputs, refunds: [{ transactionId: paid, inputIndex: 0, refundIndex: 0 }] })
      )
      assert.strictEqual(refunded.result.status, 1)
      assert.lengthOf(refunded.execution.actions, 1)
      for (const transactionId of [paid, deposit]) {
        const refusal = yield* Effect.flip(
          attesting(0, ({ fill }) => fill({ order, orderSignature, inputs, fill: { transactionId } }))
        )
        assert.strictEqual(refusal._tag, "Refusal")
      }
    }))

  it.effect("claims that are not final, unknown, or on an unconfigured chain are refused with their reason", () =>
    Effect.gen(function*() {
      const { chain } = yield* Running
      if (chain === undefined) return
      const reasonOf = (chainId: string, transactionId: string) =>
        Effect.flip(attesting(0, ({ deposits }) => deposits({ chainId: chainId as never, transactionId }))).pipe(
          Effect.map((failure) => failure._tag === "Refusal" ? failure.reason : failure._tag)
        )
      assert.strictEqual(yield* reasonOf(chain.slug, `0x${"77".repeat(32)}`), "not-found")
      assert.strictEqual(yield* reasonOf("mars", `0x${"77".repeat(32)}`), "unknown-chain")
      assert.strictEqual(yield* reasonOf(chain.slug, "0x77"), "malformed")
    }))
})
