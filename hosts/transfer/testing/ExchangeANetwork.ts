/**
 * Two EVM chains, a simulated exchange A, and a transfer host over the three, with the environment that an operator
 * would set. The host's oracles read nonce mappings from it with a key of their own.
 */
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { anyFree } from "../../localnet/nodes/Port.ts"
import { serve } from "../../localnet/nodes/exchange-a/ExchangeA.ts"
import type { ExchangeFault } from "../../localnet/nodes/exchange-a/ExchangeA.ts"
import { exchangeASlug } from "../../localnet/nodes/exchange-a/ExchangeAChain.ts"
import { Book } from "../../localnet/nodes/exchange-a/node/Book.ts"
import { hostsOver, startNetwork } from "./TransferNetwork.ts"
import type { Network } from "./TransferNetwork.ts"

/** The oracles' API key at the transfer host. */
export const MAPPINGS_KEY = "the-oracles-key-for-mappings"

/** Smallest units: a hundred thousand USDC. */
const FUNDS = 10_000_000_000_000n

/** Adds the exchange to a network, and to the environment of its hosts. */
export const exchangeAOver = Effect.fnUntraced(function*(evm: Network) {
  const book = new Book()
  let fault: ExchangeFault | undefined
  const port = yield* anyFree
  const exchangeUrl = yield* serve(book, { port, fault: () => fault })
  const [walletKey, exchangeSolver, depositoryKey] = [generatePrivateKey(), generatePrivateKey(), generatePrivateKey()]
  const [wallet, other] = [privateKeyToAccount(walletKey), privateKeyToAccount(generatePrivateKey())]
  const depository = privateKeyToAccount(depositoryKey).address
  for (const owner of [wallet.address, other.address, depository, privateKeyToAccount(exchangeSolver).address]) {
    for (const dex of ["", "spot"]) book.credit(owner, dex, FUNDS)
  }
  const environment: Readonly<Record<string, string>> = {
    ...evm.environment,
    CHAINS: `${evm.environment["CHAINS"]},${exchangeASlug}`,
    EXCHANGEA_RPC_URL: exchangeUrl,
    EXCHANGEA_DEPOSITORY: depository.toLowerCase(),
    EXCHANGEA_SOLVER_PRIVATE_KEY: exchangeSolver,
    EXCHANGEA_WEIGHT_PER_MINUTE: "10000000",
    DEPOSIT_ADDRESS_SEED: `0x${randomBytes(32).toString("hex")}`,
    EXCHANGEA_HUB_API_URL: `http://127.0.0.1:${evm.environment["TRANSFER_PORT"] ?? ""}`,
    EXCHANGEA_HUB_API_KEY: MAPPINGS_KEY
  }
  return {
    ...evm,
    environment,
    book,
    exchangeUrl,
    wallet,
    walletKey,
    other,
    depository,
    depositoryKey,
    misbehave: (next: ExchangeFault | undefined) => Effect.sync(() => void (fault = next)),
    ...hostsOver(environment)
  }
})

export const startExchangeANetwork = Effect.flatMap(startNetwork, exchangeAOver)
