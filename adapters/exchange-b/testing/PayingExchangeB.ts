/** The solver's ports over a simulated exchange B: its account has funds, and as many API keys and endpoints as wanted. */
import { Effect, Layer, Redacted, Result } from "effect"
import { ExchangeB } from "../../../hosts/localnet/nodes/exchange-b/ExchangeB.ts"
import { Signatures } from "../../../ports/signing/Signatures.ts"
import { SignerUnavailable } from "../../../ports/signing/SignerUnavailable.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { ChainId, ChainSlug } from "../../../src/domain/chain/ChainId.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { asAddress, asCurrency } from "../../../src/domain/families/AddressCodec.ts"
import { families } from "../../../src/domain/families/index.ts"
import { assetOf } from "../../../src/domain/families/exchange-b/payment/Asset.ts"
import type { Currency } from "../../../src/domain/money/Currency.ts"
import { makeEndpointQuorum } from "../../../src/domain/quorum/EndpointQuorum.ts"
import { makeSignatures } from "../../signing/LocalSignatures.ts"
import { localSecp256k1 } from "../../signing/LocalSigner.ts"
import { hostOfUrl } from "../../quorum/Endpoints.ts"
import { ExchangeBQuorums, layer as layerObserver } from "../observe/Observer.ts"
import { layer as layerGas } from "../pay/Gas.ts"
import { localRollupSigner } from "../pay/rollup/LocalRollupSigner.ts"
import type { ApiKey } from "../pay/rollup/LocalRollupSigner.ts"
import { layer as layerSent } from "../pay/SentTransactions.ts"
import { layer as layerAccount } from "../pay/SolverAccount.ts"
import { layer as layerTreasury } from "../pay/Treasury.ts"
import { ExchangeBEndpoints, layer as layerRpc } from "../rpc/ExchangeBRpc.ts"

const ID = ChainId.make(616_121)

export const [SOLVER, DEPOSITORY] = [1_002, 1_000] as const

/** Smallest units of each currency. */
export const FUNDS = 100_000_000_000

/** What a transfer to another owner costs, smallest units of USDC. */
export const FEE = 3_000n

const currency = (address: string, symbol: string, decimals: number): Currency => ({
  chainId: ID,
  address: asCurrency(address),
  symbol,
  name: symbol,
  decimals,
  isNative: address === "0"
})

const native = currency("0", "USDC", 6)
const token = currency("1", "ETH", 8)
const spotUsdc = currency("3", "USDC", 6)

const chain: Chain = {
  id: ID,
  slug: ChainSlug.make("exchangeb-local"),
  family: families["exchangeb-vm"],
  network: "mainnet",
  name: "exchangeb-local",
  native,
  currencies: [native, token, spotUsdc],
  finality: { _tag: "Tag", tag: "finalized", seconds: 2 },
  confirmations: [],
  blockTimeMs: 100,
  explorerUrl: undefined,
  depository: asAddress(`${DEPOSITORY}`),
  router: undefined,
  vault: undefined
}

const apiKey = (index: number): ApiKey => ({
  index,
  privateKey: Redacted.make(`0x${index.toString(16).padStart(2, "0").repeat(40)}`)
})

/**
 * `hosts`: endpoints of one exchange; more than half of them must agree. `perMinute`: requests that the ports may make of
 * each.
 */
export const startPayingExchangeB = Effect.fnUntraced(function*(hosts: number, perMinute: number = 1_000_000) {
  const exchange = yield* ExchangeB.start({ endpoints: hosts })
  const urls = exchange.urls.map((url) => Redacted.make(url))
  const key = yield* Effect.provideService(
    localSecp256k1(Redacted.make(Hex32.make(`0x${"5e".repeat(32)}`))),
    Signatures,
    makeSignatures(undefined)
  )
  const rollup = yield* localRollupSigner({
    account: SOLVER,
    lighterChainId: 304,
    apiKeys: [apiKey(4), apiKey(5), apiKey(6)]
  })
  const state = { isSigning: true }
  const signer = {
    sign: (digest: Uint8Array) =>
      Effect.suspend(() =>
        state.isSigning ? key.sign(digest) : Effect.fail(new SignerUnavailable({ fault: "refused" }))
      )
  }
  exchange.open(SOLVER, key.account)
  exchange.open(DEPOSITORY, `0x${"de".repeat(20)}`)
  exchange.charge(Number(FEE))
  for (const { address } of chain.currencies) {
    const { assetIndex, route } = assetOf(address)
    exchange.credit(SOLVER, Number(assetIndex), Number(route), FUNDS)
  }
  let accounts = 2_000
  /** An account of an owner of its own, which never had anything. */
  const newAccount = (): Address => {
    accounts += 1
    exchange.open(accounts, `0x${accounts.toString(16).padStart(40, "5")}`)
    return asAddress(`${accounts}`)
  }
  const ports = Layer.mergeAll(layerGas, layerSent, layerTreasury).pipe(
    Layer.provide([layerRpc, layerAccount(BigInt(SOLVER), signer, rollup)]),
    Layer.provide(
      Layer.succeed(ExchangeBEndpoints, {
        urls: new Map([[ID, urls]]),
        allowance: { _tag: "Requests", perMinute }
      })
    )
  )
  /** Evidence as an oracle reads it. */
  const oracle = Layer.provide(
    layerObserver,
    Layer.succeed(ExchangeBQuorums, {
      of: new Map([[ID, { urls, quorum: Result.getOrThrow(makeEndpointQuorum(urls.map(hostOfUrl), undefined)) }]])
    })
  )
  const balance = (of: Address, { address }: Currency): Effect.Effect<bigint> =>
    Effect.sync(() => {
      const { assetIndex, route } = assetOf(address)
      return BigInt(exchange.balance(Number(of), Number(assetIndex), Number(route)))
    })
  return { exchange, chain, native, token, spotUsdc, state, newAccount, ports, oracle, balance }
})
