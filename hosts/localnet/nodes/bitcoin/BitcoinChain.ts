/** The optional Bitcoin chain of the network: started from the state folder, and described for the network's file. */
import { Effect } from "effect"
import type { AttestedChain, StartAttested } from "../../run/services/AttestedChain.ts"
import { start as startProcess } from "./BitcoinProcess.ts"
import { keyOfName } from "./node/LocalKey.ts"

/** The protocol's id, and the number in the transfer API. They cannot be mistaken for the public chain's. */
const slug = "bitcoin-local"
const chainId = 616130

const account = (name: string) => {
  const { address, privateKey } = keyOfName(name)
  return { address, privateKey: Buffer.from(privateKey).toString("hex") }
}

/** It is kept and deleted with the folder of the other chains. */
export const start = Effect.fnUntraced(function*({ paths, ports }: StartAttested) {
  const { died, explorerUrl, url } = yield* startProcess({ port: ports.bitcoin, stateFile: paths.bitcoin })
  const open = { BITCOIN_EXPLORER_CLIENT_ID: "", BITCOIN_EXPLORER_CLIENT_SECRET: "", BITCOIN_INDEXER_API_KEY: "" }
  return {
    slug,
    environment: { BITCOIN_RPC_URL: url, BITCOIN_ESPLORA_COMPATIBLE_API_URL: explorerUrl, ...open },
    described: {
      bitcoin: {
        id: slug,
        chainId,
        vmType: "bitcoin-vm",
        rpcUrl: url,
        explorerUrl,
        depository: account("causeway.local.bitcoin.depository"),
        faucet: account("causeway.local.bitcoin.faucet")
      }
    },
    died
  } satisfies AttestedChain
})
