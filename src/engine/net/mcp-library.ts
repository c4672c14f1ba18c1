// Exports the used parts of the MCP client library. A dynamic import of the whole library would keep all of it in the build; an import of
// this file keeps only its exports.

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
