/**
 * The chains of the local network from which withdrawals are made, each with what its family does differently: one entry
 * a family. A family's client is loaded only when it drafts.
 */
import { Effect, Result } from "effect"
import { getAddress } from "viem/utils"
import type { AddressCodec } from "../../../../src/domain/families/AddressCodec.ts"
import { ChainSlug } from "../../../../src/domain/chain/ChainId.ts"
import { families } from "../../../../src/domain/families/index.ts"
import type { ChainRef } from "../../../../src/domain/hub/ChainRef.ts"
import type { LocalnetError } from "../../run/LocalnetError.ts"
import type { Localnet } from "../../run/state/LocalnetFile.ts"
import { currencyOf, recipientOf, symbolsOf } from "../demo/ArgumentValues.ts"
import type { Refuse } from "../demo/ArgumentValues.ts"
import { asset, btc, collateral, currenciesOf, perps, spot, trx } from "../demo/DemoChain.ts"
import type { Currency } from "../demo/DemoChain.ts"
import type { WithdrawalChain } from "./WithdrawalChain.ts"

/** What the arguments say of the chain. */
interface Asked {
  readonly currency: string | undefined
  readonly recipient: string | undefined
  readonly expire: boolean
}

export interface LocalChain {
  readonly id: string
  readonly target: (asked: Asked) => Result.Result<WithdrawalChain, LocalnetError>
  /** The recipient in its family's spelling. `owner`: of the balance, an EVM account. */
  readonly recipient: (
    text: string | undefined,
    owner: ReturnType<typeof getAddress>
  ) => Result.Result<string, LocalnetError>
}

const refOf = ({ id, vmType }: { readonly id: string; readonly vmType: keyof typeof families }): ChainRef => ({
  slug: ChainSlug.make(id),
  family: families[vmType],
  network: families[vmType].hasNetworks ? "regtest" : "mainnet"
})

/** The currency that is asked for; the first unless one is. */
const chosen = <C extends Currency>(
  currencies: ReadonlyArray<C>,
  { currency: asked }: Asked,
  fail: Refuse
): Result.Result<C, LocalnetError> => {
  const found = asked === undefined
    ? currencies[0]
    : currencies.find((each) => currencyOf([each], asked) !== undefined)
  return found === undefined
    ? fail(`--currency ${asked} is none of ${symbolsOf(currencies)}`)
    : Result.succeed(found)
}

/** An owner without an address there is paid at the solver's. */
const recipientAmong =
  (codec: AddressCodec, solver: string, name: string, fail: Refuse): LocalChain["recipient"] => (text) =>
    Result.orElse(codec.parse(text ?? solver), () => fail(`--recipient ${text} is no address of a local ${name}`))

const codecOf = ({ family, network }: ChainRef): AddressCodec => family.addresses(network)

const evm = (chain: Localnet["chains"][number], fail: Refuse): LocalChain => ({
  id: chain.id,
  target: (asked) =>
    Result.map(chosen(currenciesOf(chain), asked, fail), (currency) => ({
      id: chain.id,
      ref: refOf(chain),
      currency,
      drafting: ({ allocator, submitter }) =>
        Effect.map(
          Effect.promise(() => import("./EvmWithdrawal.ts")),
          ({ draftOn }) =>
            draftOn({ ...chain, currency, depository: getAddress(chain.depository) }, allocator, submitter)
        )
    })),
  recipient: (text, owner) => recipientOf(text, owner, fail)
})

const bitcoin = (chain: NonNullable<Localnet["bitcoin"]>, fail: Refuse): LocalChain => {
  const ref = refOf(chain)
  return {
    id: chain.id,
    target: (asked) =>
      asked.expire
        ? fail("--expire: a PSBT never expires by age, its coins can be spent as long as they exist")
        : Result.map(chosen([btc], asked, fail), (currency) => ({
          id: chain.id,
          ref,
          currency,
          drafting: () =>
            Effect.map(
              Effect.promise(() => import("./BitcoinWithdrawal.ts")),
              ({ draftOn }) => draftOn({ ...chain, currency })
            )
        })),
    recipient: recipientAmong(codecOf(ref), chain.solver.address, "Bitcoin chain", fail)
  }
}

const tron = (chain: NonNullable<Localnet["tron"]>, fail: Refuse): LocalChain => {
  const ref = refOf(chain)
  return {
    id: chain.id,
    target: (asked) =>
      Result.flatMap(chosen([trx, ...chain.tokens], asked, fail), (currency) => {
        // What it burns would change what arrives.
        const submitter = chain.accounts.find(({ address }) => address !== asked.recipient)
        return submitter === undefined
          ? fail(`the network has no account on ${chain.id} that could submit`)
          : Result.succeed<WithdrawalChain>({
            id: chain.id,
            ref,
            currency,
            drafting: () =>
              Effect.map(
                Effect.promise(() => import("./TronWithdrawal.ts")),
                ({ draftOn }) => draftOn({ ...chain, currency, native: trx, submitter })
              )
          })
      }),
    recipient: recipientAmong(codecOf(ref), chain.solver.address, "Tron chain", fail)
  }
}

const exchangeA = (chain: NonNullable<Localnet["exchangeA"]>, fail: Refuse): LocalChain => {
  const ref = refOf(chain)
  return {
    id: chain.id,
    target: (asked) =>
      asked.expire
        ? fail("--expire: a transfer on exchange A never expires by age alone")
        : Result.map(chosen([perps, spot], asked, fail), (currency) => ({
          id: chain.id,
          ref,
          currency,
          drafting: () =>
            Effect.map(
              Effect.promise(() => import("./ExchangeAWithdrawal.ts")),
              ({ draftOn }) => draftOn({ ...chain, currency })
            )
        })),
    recipient: recipientAmong(codecOf(ref), chain.solver.address, "exchange A", fail)
  }
}

const exchangeB = (chain: NonNullable<Localnet["exchangeB"]>, fail: Refuse): LocalChain => {
  const ref = refOf(chain)
  return {
    id: chain.id,
    target: (asked) =>
      asked.expire
        ? fail("--expire: a transfer that exchange B has never seen does not expire")
        : Result.map(chosen([collateral, asset], asked, fail), (currency) => ({
          id: chain.id,
          ref,
          currency,
          drafting: () =>
            Effect.map(
              Effect.promise(() => import("./ExchangeBWithdrawal.ts")),
              ({ draftOn }) => draftOn({ ...chain, currency })
            )
        })),
    recipient: recipientAmong(codecOf(ref), `${chain.solver.index}`, "exchange B", fail)
  }
}

export const localChains = (
  localnet: Localnet,
  fail: Refuse
): ReadonlyArray<LocalChain> => [
  ...localnet.chains.map((chain) => evm(chain, fail)),
  ...(localnet.bitcoin === undefined ? [] : [bitcoin(localnet.bitcoin, fail)]),
  ...(localnet.tron === undefined ? [] : [tron(localnet.tron, fail)]),
  ...(localnet.exchangeA === undefined ? [] : [exchangeA(localnet.exchangeA, fail)]),
  ...(localnet.exchangeB === undefined ? [] : [exchangeB(localnet.exchangeB, fail)])
]
