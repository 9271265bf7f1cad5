/** The contract suites of the ports that every family has, on a real EVM chain. Blocks are mined by hand. */
import { describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Result, Schema } from "effect"
import { encodeFunctionData, erc20Abi, getAddress } from "viem"
import type { Address as ViemAddress, Hex } from "viem"
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts"
import { ChainFacts } from "../../ports/chain/ChainFacts.ts"
import { Signatures } from "../../ports/signing/Signatures.ts"
import type { Contract } from "../../property-tests/family/FamilyFixture.ts"
import { FamilyFixture } from "../../property-tests/family/FamilyFixture.ts"
import { depositWatcherContract, finalScanContract } from "../../property-tests/family/DepositWatcher.ts"
import { chainFactsContract, chainObserverContract } from "../../property-tests/family/Observing.ts"
import { gasContract, sentTransactionsContract, treasuryContract } from "../../property-tests/family/Payments.ts"
import {
  addressBalancesContract,
  sendWatcherContract,
  stepBuilderContract
} from "../../property-tests/family/Quoting.ts"
import { contractsOn } from "../../property-tests/family/Traits.ts"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import { ChainId, ChainSlug } from "../../src/domain/chain/ChainId.ts"
import { parseTransactionId } from "../../src/domain/chain/TransactionId.ts"
import { Hex32, HexFromString } from "../../src/domain/encoding/Hex.ts"
import { addressCodec, families } from "../../src/domain/families/index.ts"
import type { Currency } from "../../src/domain/money/Currency.ts"
import { EvmTransactionData } from "../../src/domain/families/ethereum/EvmTransactionData.ts"
import { observedEndpoints } from "../quorum/Endpoints.ts"
import { makeFacts } from "../quorum/ReadingFacts.ts"
import { makeSignatures } from "../signing/LocalSignatures.ts"
import { localSecp256k1 } from "../signing/LocalSigner.ts"
import { check } from "./Check.ts"
import { abi as depositoryAbi } from "./contracts/artifacts/Depository.ts"
import { NATIVE, useFixture } from "./contracts/testing/Fixture.ts"
import { EthereumQuorums, layer as layerObserver } from "./observe/Observer.ts"
import { layer as layerPorts } from "./TransferPorts.ts"

const fixture = useFixture()
const codec = addressCodec("ethereum-vm")

const account = (text: string) => Result.getOrThrow(codec.parse(text))

const currency = (address: ViemAddress, symbol: string, decimals: number): Currency => {
  const parsed = Result.getOrThrow(codec.parseCurrency(address))
  return {
    chainId: ChainId.make(fixture().chainId),
    address: parsed,
    symbol,
    name: symbol,
    decimals,
    isNative: parsed === codec.nativeCurrency
  }
}

const chainOf = (): Chain => {
  const native = currency(NATIVE, "ETH", 18)
  return {
    id: ChainId.make(fixture().chainId),
    slug: ChainSlug.make("local"),
    family: families["ethereum-vm"],
    network: "mainnet",
    name: "Local",
    depository: account(fixture().depository),
    router: undefined,
    vault: undefined,
    native,
    currencies: [native, currency(fixture().usdc, "USDC", 6)],
    finality: { _tag: "Tag", tag: "finalized", seconds: 2 },
    confirmations: [],
    blockTimeMs: 1_000,
    explorerUrl: undefined
  }
}

/** Enough for a deposit. Fixed, because no estimate is possible against a block that does not exist yet. */
const GAS = 500_000n

const decodeHex = Schema.decodeUnknownSync(HexFromString)
const decodeTransaction = Schema.decodeUnknownSync(EvmTransactionData)

/** Anvil's own method: removes the newest block with its transactions. No other block takes its place yet. */
const rollBack = async (url: string): Promise<void> => {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "anvil_rollback", params: [1] })
  })
  const said = await answer.text()
  if (said.includes("error")) throw new Error(`anvil does not roll back: ${said}`)
}

const ETHER = 10n ** 18n

/** Anvil's `finalized` block is two below the newest. */
const FINAL_AFTER = 2

const makeFixture = Effect.gen(function*() {
  const { balance, client, depository, mint, url, usdc, user } = fixture()
  const chain = chainOf()
  const [native, token] = chain.currencies
  if (native === undefined || token === undefined) return yield* Effect.die(new Error("no currencies"))
  const solverKey = generatePrivateKey()
  yield* Effect.promise(async () => {
    await client.setBalance({ address: privateKeyToAddress(solverKey), value: 100n * ETHER })
    await mint(usdc, privateKeyToAddress(solverKey), 1_000_000_000n)
    await client.setAutomine(false)
  })
  yield* Effect.addFinalizer(() => Effect.promise(() => client.setAutomine(true)))
  const send = (to: ViemAddress, data: Hex, value = 0n) =>
    Effect.map(
      Effect.promise(() => client.sendTransaction({ account: user, chain: null, gas: GAS, to, data, value })),
      (hash) => Result.getOrThrow(parseTransactionId(chain.family, hash))
    )
  const depositNative = (order: Hex32) =>
    encodeFunctionData({ abi: depositoryAbi, functionName: "depositNative", args: [user, order] })
  const depositToken = (amount: bigint, order: Hex32) =>
    encodeFunctionData({ abi: depositoryAbi, functionName: "depositErc20", args: [user, usdc, amount, order] })
  const approve = (amount: bigint) =>
    encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [depository, amount] })
  const mine = (blocks: number) => Effect.promise(() => client.mine({ blocks }))
  const signer = yield* Effect.provideService(
    localSecp256k1(Redacted.make(Hex32.make(solverKey))),
    Signatures,
    makeSignatures(undefined)
  )
  return {
    chain,
    signer,
    url: Redacted.make(url),
    fixture: FamilyFixture.of({
      chain,
      token,
      user: account(user),
      stranger: account(privateKeyToAddress(generatePrivateKey())),
      refusing: undefined,
      balance: (of, { address }) => Effect.promise(() => balance(getAddress(address), getAddress(of))),
      deposit: ({ isNative }, amount, order) =>
        isNative
          ? send(depository, depositNative(order), amount)
          : Effect.andThen(send(usdc, approve(amount)), send(depository, depositToken(amount, order))),
      carryOut: (step) => {
        const { data, to, value } = decodeTransaction(step.items[0]?.data)
        return send(getAddress(to), decodeHex(data), BigInt(value))
      },
      mine: mine(1),
      finalise: mine(FINAL_AFTER),
      takeBack: Effect.promise(() => rollBack(url))
    })
  }
})

/** Another name of the loopback is another host. */
const alsoAt = (url: Redacted.Redacted) => Redacted.make(Redacted.value(url).replace("127.0.0.1", "localhost"))

/** `urlsOf`: how the chain is read; its quorum needs all of them. */
const layerBy = (urlsOf: (url: Redacted.Redacted) => ReadonlyArray<Redacted.Redacted>) =>
  Layer.unwrap(Effect.map(makeFixture, ({ chain, fixture, signer, url }) => {
    const urls = urlsOf(url)
    const observed = Result.getOrThrow(observedEndpoints([url]))
    return Layer.mergeAll(
      Layer.succeed(FamilyFixture, fixture),
      layerPorts({ urls: new Map([[chain.id, urls]]), quorums: new Map([[chain.id, urls.length]]) }, {
        solver: signer,
        operator: undefined,
        deposits: undefined
      }),
      Layer.provide(layerObserver, Layer.succeed(EthereumQuorums, { of: new Map([[chain.id, observed]]) })),
      Layer.effect(ChainFacts, makeFacts(check, new Map([[chain.id, { ...observed, decides: "quorum" as const }]])))
    )
  }))

const layerAll = layerBy((url) => [url])

type Ports = Layer.Success<typeof layerAll>

const lacks = {
  expiry: "a signed payment stays good until its sequence is used",
  coins: "a payment takes from a balance",
  refusal: "every account can receive a token"
}

const holds = (port: string, contracts: ReadonlyArray<Contract<Ports>>, ports = layerAll) =>
  describe(`${port} of an EVM chain`, () => {
    for (const { check: promise, name } of contractsOn(lacks, contracts)) {
      it.live(name, () => Effect.provide(promise, Layer.fresh(ports)))
    }
  })

holds("DepositWatcher", depositWatcherContract)
holds("DepositWatcher by two hosts", finalScanContract, layerBy((url) => [url, alsoAt(url)]))
holds("Treasury", treasuryContract)
holds("Gas", gasContract)
holds("SentTransactions", sentTransactionsContract)
holds("StepBuilder", stepBuilderContract)
holds("DirectPaymentWatcher", sendWatcherContract)
holds("AddressBalances", addressBalancesContract)
holds("ChainObserver", chainObserverContract)
holds("ChainFacts", chainFactsContract)
