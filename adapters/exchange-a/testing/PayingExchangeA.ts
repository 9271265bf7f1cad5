/** A simulated exchange A with a solver that has money, and the ports of its payments over as many endpoints as wanted. */
import { Effect, Layer, Redacted, Result } from "effect"
import { ExchangeA } from "../../../hosts/localnet/nodes/exchange-a/ExchangeA.ts"
import { USDC } from "../../../hosts/localnet/nodes/exchange-a/node/Token.ts"
import type { Token } from "../../../hosts/localnet/nodes/exchange-a/node/Token.ts"
import { Signatures } from "../../../ports/signing/Signatures.ts"
import { SignerUnavailable } from "../../../ports/signing/SignerUnavailable.ts"
import { NonceMappings } from "../../../ports/store/clients/NonceMappings.ts"
import { Address } from "../../../src/domain/chain/Address.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { ChainId, ChainSlug } from "../../../src/domain/chain/ChainId.ts"
import { Hex, Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { asCurrency } from "../../../src/domain/families/AddressCodec.ts"
import { addressCodec, families } from "../../../src/domain/families/index.ts"
import type { Currency } from "../../../src/domain/money/Currency.ts"
import type { KeptNonceMapping } from "../../../src/domain/nonce-mapping/NonceMapping.ts"
import { makeEndpointQuorum } from "../../../src/domain/quorum/EndpointQuorum.ts"
import { makeSignatures } from "../../signing/LocalSignatures.ts"
import { localSecp256k1, localSecp256k1Tree } from "../../signing/LocalSigner.ts"
import { hostOfUrl } from "../../quorum/Endpoints.ts"
import { HubMappings } from "../observe/HubMappings.ts"
import { ExchangeAQuorums, layer as layerObserver } from "../observe/Observer.ts"
import { layer as layerBalances } from "../addresses/AddressBalances.ts"
import { layer as layerKeyring } from "../addresses/Keyring.ts"
import { layer as layerGas } from "../pay/Gas.ts"
import { layer as layerSent } from "../pay/SentTransactions.ts"
import { layer as layerAccount } from "../pay/SolverAccount.ts"
import { layer as layerTreasury } from "../pay/Treasury.ts"
import { ExchangeAEndpoints, layer as layerRpc } from "../rpc/ExchangeARpc.ts"

const ID = ChainId.make(616_120)

/** A token of spot. */
export const TOKEN: Token = { name: "TOK", tokenId: `0x${"7e".repeat(16)}`, weiDecimals: 5 }

/** Smallest units: a thousand USDC on perps, and a million TOK on spot. */
export const FUNDS = 100_000_000_000n

let accounts = 0

/** An account that never had anything. */
export const newAccount = (): Address => {
  accounts += 1
  return Address.make(`0x${accounts.toString(16).padStart(40, "5")}`)
}

const { nativeCurrency } = addressCodec("exchangea-vm")

const currency = (address: string, { name, weiDecimals }: Token): Currency => ({
  chainId: ID,
  address: asCurrency(address),
  symbol: name,
  name,
  decimals: weiDecimals,
  isNative: address === nativeCurrency
})

const native = currency(nativeCurrency, USDC)
const token = currency(TOKEN.tokenId, TOKEN)
const spotUsdc = currency(USDC.tokenId, USDC)

const chain: Chain = {
  id: ID,
  slug: ChainSlug.make("exchangea-local"),
  family: families["exchangea-vm"],
  network: "mainnet",
  name: "exchangea-local",
  native,
  currencies: [native, token, spotUsdc],
  finality: { _tag: "Tag", tag: "finalized", seconds: 2 },
  confirmations: [],
  blockTimeMs: 100,
  explorerUrl: undefined,
  depository: Address.make(`0x${"de".repeat(20)}`),
  router: undefined,
  vault: undefined
}

/**
 * `hosts`: endpoints of one exchange; more than half of them must agree. `weightPerMinute`: what each of them may be
 * asked.
 */
export const startPayingExchangeA = Effect.fnUntraced(function*(hosts: number, weightPerMinute: number = 1_000_000) {
  const exchange = yield* ExchangeA.start({ endpoints: hosts, tokens: [TOKEN] })
  const { book } = exchange
  const urls = exchange.urls.map((url) => Redacted.make(url))
  const key = yield* Effect.provideService(
    localSecp256k1(Redacted.make(Hex32.make(`0x${"5e".repeat(32)}`))),
    Signatures,
    makeSignatures(undefined)
  )
  const deposits = yield* Effect.provideService(
    localSecp256k1Tree(Redacted.make(Hex.make(`0x${"5e".repeat(32)}`))),
    Signatures,
    makeSignatures(undefined)
  )
  const state = { isSigning: true }
  const solver = {
    account: key.account,
    sign: (digest: Uint8Array) =>
      Effect.suspend(() =>
        state.isSigning ? key.sign(digest) : Effect.fail(new SignerUnavailable({ fault: "refused" }))
      )
  }
  book.credit(solver.account, "", FUNDS)
  book.credit(solver.account, "spot", FUNDS, TOKEN)
  /** By nonce: in a test, no two accounts map the same. */
  const kept = new Map<bigint, KeptNonceMapping>()
  const find = (_chain: unknown, wallet: Address, nonce: bigint) =>
    Effect.sync(() => {
      const found = kept.get(nonce)
      return found?.wallet === wallet ? found : undefined
    })
  const layerMappings = Layer.succeed(NonceMappings, {
    keep: (mapping) =>
      Effect.sync(() => {
        const first = kept.get(mapping.nonce) ?? mapping
        kept.set(mapping.nonce, first)
        return first
      }),
    find
  })
  const ports = Layer.mergeAll(layerBalances, layerGas, layerKeyring, layerSent, layerTreasury).pipe(
    Layer.provide([layerRpc, layerAccount(solver, deposits), layerMappings]),
    Layer.provide(
      Layer.succeed(ExchangeAEndpoints, {
        urls: new Map([[ID, urls]]),
        weightPerMinute
      })
    )
  )
  /** Evidence as an oracle reads it, with the mappings that are kept. */
  const oracle = Layer.provide(layerObserver, [
    Layer.succeed(ExchangeAQuorums, {
      of: new Map([[ID, { urls, quorum: Result.getOrThrow(makeEndpointQuorum(urls.map(hostOfUrl), undefined)) }]])
    }),
    Layer.succeed(HubMappings, {
      find,
      isConfigured: true
    }),
    Layer.succeed(Signatures, makeSignatures(undefined))
  ])
  const balance = (of: Address, { address }: Currency): Effect.Effect<bigint> =>
    Effect.sync(() =>
      address === nativeCurrency
        ? book.balance(of, "")
        : book.balance(of, "spot", address === token.address ? TOKEN : USDC)
    )
  return { exchange, book, chain, native, token, spotUsdc, solver, state, kept, ports, oracle, balance }
})
