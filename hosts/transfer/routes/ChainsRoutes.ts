/** GET /chains: the configuration as clients read it (spec/3 §10). */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Chains } from "../../../ports/Chains.ts"
import { OrderSigner } from "../../../ports/OrderSigner.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { VmFamily } from "../../../src/domain/chain/VmFamily.ts"
import type { Currency } from "../../../src/domain/money/Currency.ts"
import type { ChainRow } from "../api/ChainsApi.ts"
import { TransferApi } from "../api/TransferApi.ts"

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

const chainRow = (chain: Chain, solver: string): ChainRow => ({
  id: chain.id,
  name: chain.slug,
  displayName: chain.name,
  vmType: vmTypes[chain.family],
  slug: chain.slug,
  httpRpcUrl: null,
  explorerUrl: chain.explorerUrl ?? null,
  depositEnabled: true,
  disabled: false,
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
  const chains = yield* Chains
  const { solver } = yield* OrderSigner
  const answer = {
    chains: chains.all.map((chain) => chainRow(chain, solver)),
    settlement: { chainId: chains.settlement.chain.id, token: chains.settlement.token, solver }
  }
  return handlers.handleAll({ chains: () => Effect.succeed(answer) })
}))
