// Exports the used parts of the MCP client library. An import of the whole library on demand keeps all of it in the build; an import of
// this file keeps only what it names.

export {
  checkResourceAllowed,
  Client,
  ClientCredentialsProvider,
  discoverOAuthServerInfo,
  exchangeAuthorization,
  extractWWWAuthenticateParams,
  OAuthError,
  ProtocolError,
  ProtocolErrorCode,
  refreshAuthorization,
  registerClient,
  resolveClientMetadata,
  resourceUrlFromServerUrl,
  SdkHttpError,
  startAuthorization,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client"
