/** What a call throws when the node has nothing to say yet: no fault of the endpoint, and never evidence. */
export class NodeIsBehind extends Error {}
