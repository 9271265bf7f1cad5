/** The Bitcoin chain as a part of the network, where it is wanted: its start from the state folder, and what is told of it. */
import { Effect } from "effect"
import { join } from "node:path"
import type { BitcoinProcess } from "../chains/BitcoinProcess.ts"
import { start as startProcess } from "../chains/BitcoinProcess.ts"
import { keyOfName } from "../chains/bitcoin/LocalKey.ts"
import { anyFree, isFree } from "../chains/Port.ts"
import type { Localnet } from "../LocalnetFile.ts"
import type { Paths } from "../Paths.ts"

/** The protocol's id, and the number of the transfer API: nobody takes it for the public chain. */
export const bitcoinSlug = "bitcoin-local"
const bitcoinChainId = 616130

const USUAL_PORT = 8655

/** It lives and dies with the folder that the other chains are kept in. */
export const bitcoinFile = ({ state }: Pick<Paths, "state">): string => join(state, "bitcoin.json")

export const start = Effect.fnUntraced(function*(paths: Paths) {
  const port = (yield* isFree(USUAL_PORT)) ? USUAL_PORT : yield* anyFree
  return yield* startProcess({ port, stateFile: bitcoinFile(paths) })
})

/** What the oracle is told. */
export const oracleEnvironment = ({ explorerUrl, url }: BitcoinProcess): Readonly<Record<string, string>> => ({
  BITCOIN_RPC_URL: url, BITCOIN_ESPLORA_COMPATIBLE_API_URL: explorerUrl, BITCOIN_EXPLORER_CLIENT_ID: "", BITCOIN_EXPLORER_CLIENT_SECRET: "", BITCOIN_INDEXER_API_KEY: ""
})

const account = (name: string) => {
  const { address, privateKey } = keyOfName(name)
  return { address, privateKey: Buffer.from(privateKey).toString("hex") }
}

export const describeBitcoin = ({ explorerUrl, url }: BitcoinProcess): NonNullable<Localnet["bitcoin"]> => ({
  id: bitcoinSlug,
  chainId: bitcoinChainId,
  vmType: "bitcoin-vm",
  rpcUrl: url,
  explorerUrl,
  depository: account("causeway.local.bitcoin.depository"),
  faucet: account("causeway.local.bitcoin.faucet")
})
