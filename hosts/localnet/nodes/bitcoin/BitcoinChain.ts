/**
 * The optional Bitcoin chain of the network: started from the state folder, its parties funded, and described for the
 * network's file.
 */
import { Effect } from "effect"
import type { AttestedChain, StartAttested } from "../../run/services/AttestedChain.ts"
import { reasonOf } from "../../run/LocalnetError.ts"
import { BitcoinError } from "./BitcoinError.ts"
import { bitcoinKeys } from "./BitcoinKeys.ts"
import type { BitcoinKeys } from "./BitcoinKeys.ts"
import { start as startProcess } from "./BitcoinProcess.ts"
import { faucet, listCoins, payFromFaucet } from "./Faucet.ts"
import type { BitcoinUrls } from "./Faucet.ts"
import { keyOfName } from "./node/LocalKey.ts"
import type { BitcoinKey } from "./node/LocalKey.ts"

/** The protocol's id, and the number in the transfer API. They cannot be mistaken for the public chain's. */
export const bitcoinSlug = "bitcoin-local"
export const bitcoinChainId = 616130

const ONE = 100_000_000n
/** So many payments of the solver can wait at once. */
const SOLVER_COINS = 20

const text = ({ privateKey }: BitcoinKey): string => Buffer.from(privateKey).toString("hex")

const account = (key: BitcoinKey) => ({ address: key.address, privateKey: text(key) })

const asking = <A>(ask: () => Promise<A>) =>
  Effect.tryPromise({
    try: ask,
    catch: (cause) => new BitcoinError({ kind: "not-started", message: `no coins for the parties: ${reasonOf(cause)}` })
  })

/**
 * A coin for each user, and some for the solver, unless the solver has coins already. Waits for the block that has
 * them: a service that starts before it would report an empty account.
 */
const fund = Effect.fnUntraced(function*(urls: BitcoinUrls, { accounts, solver }: BitcoinKeys) {
  const solverCoins = asking(() => listCoins(urls, solver.address))
  if ((yield* solverCoins).length === 0) {
    const coins = [...accounts, ...Array.from({ length: SOLVER_COINS }, () => solver)]
    yield* asking(() => payFromFaucet(urls, coins.map(({ script }) => ({ script, amount: ONE }))))
  }
  yield* solverCoins.pipe(
    Effect.tap((coins) => coins.some(({ status }) => status.confirmed) ? Effect.void : Effect.sleep("50 millis")),
    Effect.repeat({ until: (coins) => coins.some(({ status }) => status.confirmed) })
  )
})

/** It is kept and deleted with the folder of the other chains. */
export const start = Effect.fnUntraced(function*({ keys, paths, ports }: StartAttested) {
  const { died, explorerUrl, url } = yield* startProcess({ port: ports.bitcoin, stateFile: paths.bitcoin })
  const parties = bitcoinKeys(keys)
  yield* fund({ rpcUrl: url, explorerUrl }, parties)
  const open = { BITCOIN_EXPLORER_CLIENT_ID: "", BITCOIN_EXPLORER_CLIENT_SECRET: "", BITCOIN_INDEXER_API_KEY: "" }
  const environment = { BITCOIN_RPC_URL: url, BITCOIN_ESPLORA_COMPATIBLE_API_URL: explorerUrl, ...open }
  return {
    slug: bitcoinSlug,
    environment,
    transfer: { ...environment, BITCOIN_SOLVER_PRIVATE_KEY: `0x${text(parties.solver)}` },
    tried: "0.01",
    described: {
      bitcoin: {
        id: bitcoinSlug,
        chainId: bitcoinChainId,
        vmType: "bitcoin-vm",
        rpcUrl: url,
        explorerUrl,
        depository: account(keyOfName("causeway.local.bitcoin.depository")),
        faucet: account(faucet),
        accounts: parties.accounts.map(account),
        solver: account(parties.solver)
      }
    },
    died
  } satisfies AttestedChain
})
