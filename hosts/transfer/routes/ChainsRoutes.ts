/** GET /chains and GET /currencies: the configuration as clients read it, with what is paused now (spec/3 §10). */
import { Effect, Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Chains } from "../../../ports/Chains.ts"
import { SettlementChain } from "../../../ports/SettlementChain.ts"
import { OrderSigner } from "../../../ports/OrderSigner.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { VmFamily } from "../../../src/domain/chain/VmFamily.ts"
import type { Currency } from "../../../src/domain/money/Currency.ts"
import { isChainPaused } from "../../../src/domain/pause/Pause.ts"
import { wireCurrency } from "../../../src/domain/quote/wire/WireAmount.ts"
import { Pausing } from "../../../src/services/Pausing.ts"
import type { ChainRow } from "../api/ChainsApi.ts"
import { BadRequest, Unavailable } from "../api/QuoteErrors.ts"
import { TransferApi } from "../api/TransferApi.ts"
import { inputErrors } from "./StatusRoutes.ts"

const vmTypes: Readonly<Record<VmFamily, ChainRow["vmType"]>> = {
  "ethereum-vm": "evm",
  "solana-vm": "svm",
  "bitcoin-vm": "bvm",
  "tron-vm": "tvm",
  "exchangea-vm": "hypevm",
  "exchangeb-vm": "lvm"
}

const currencyRow = ({ address, decimals, isNative, name, symbol }: Currency) => ({
  id: symbol.toLowerCase(),
  symbol,
  name,
  address,
  decimals,
  // This version bridges native currencies only.
  supportsBridging: isNative
})

const chainRow = (chain: Chain, solver: string, paused: boolean): ChainRow => ({
  id: chain.id,
  name: chain.slug,
  displayName: chain.name,
  vmType: vmTypes[chain.family],
  slug: chain.slug,
  httpRpcUrl: null,
  explorerUrl: chain.explorerUrl ?? null,
  depositEnabled: !paused,
  disabled: paused,
  currency: currencyRow(chain.native),
  erc20Currencies: chain.currencies.filter((currency) => !currency.isNative).map((currency) => ({
    ...currencyRow(currency),
    supportsPermit: false
  })),
  solverCurrencies: [chain.native].map(({ address, decimals, name, symbol }) => ({ symbol, name, address, decimals })),
  solverAddresses: [solver],
  protocol: { v2: { chainId: chain.slug, depository: chain.depository } }
})

export const layer = HttpApiBuilder.group(TransferApi, "chains", Effect.fn(function*(handlers) {
  const served = yield* Chains
  const pausing = yield* Pausing
  const { solver } = yield* OrderSigner
  const { chain: settlementChain, token } = yield* SettlementChain
  const settlement = { chainId: settlementChain.id, token, solver }

  const chains = Effect.fn("http.chains")(function*() {
    const pauses = yield* Effect.mapError(pausing.all, ({ message }) => new Unavailable({ message }))
    return { chains: served.all.map((chain) => chainRow(chain, solver, isChainPaused(pauses, chain.id))), settlement }
  })

  const currencies = Effect.fn("http.currencies")(function*({ query }: { readonly query: { readonly chainId?: string } }) {
    const asked = query.chainId
    if (asked === undefined) return served.all.flatMap((chain) => chain.currencies.map(wireCurrency))
    const chain = served.all.find(({ id }) => `${id}` === asked)
    return chain === undefined
      ? yield* new BadRequest({ message: `chainId: chain ${asked} is not served here; GET /chains lists those that are` })
      : chain.currencies.map(wireCurrency)
  })

  return handlers.handleAll({ chains, currencies })
})).pipe(Layer.provide(inputErrors))
