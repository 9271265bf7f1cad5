import { rotationContract } from "../../endpoints/testing/RotationContract.ts"
import { alpha } from "../../../src/domain/quote/testing/Chains.ts"
import { family } from "./EthereumRpc.ts"

rotationContract({
  name: "EVM",
  family,
  chain: alpha,
  identity: { method: "eth_chainId", right: `0x${alpha.id.toString(16)}`, wrong: "0xdead" },
  reading: {
    method: "eth_blockNumber",
    answerOf: (value) => `0x${value.toString(16)}`,
    read: async (client) => Number(await client.getBlockNumber())
  }
})
