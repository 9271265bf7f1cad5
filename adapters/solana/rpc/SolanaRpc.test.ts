import { rotationContract } from "../../endpoints/testing/RotationContract.ts"
import { solana, solanaPayer, solanaUser } from "../../../src/domain/quote/testing/Chains.ts"
import { family } from "./SolanaRpc.ts"

rotationContract({
  name: "Solana",
  family,
  chain: { ...solana, genesisHash: solanaUser },
  identity: { method: "getGenesisHash", right: solanaUser, wrong: solanaPayer },
  reading: {
    method: "getSlot",
    answerOf: (value) => value,
    read: async (client) => Number(await client.getSlot().send())
  }
})
