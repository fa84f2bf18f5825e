/**
 * Products and technologies that developers' memories speak of. Only recognition: which of them are the same is for the
 * text to say. Written as the makers write them; found in any case.
 */
const plain = `
Java Python PostgreSQL Postgres MySQL MariaDB SQLite MongoDB DynamoDB CockroachDB ScyllaDB ClickHouse DuckDB Redis Valkey Memcached Elasticsearch OpenSearch
Meilisearch Typesense Algolia Neo4j InfluxDB TimescaleDB BigQuery Databricks Supabase PlanetScale Turso Firestore Firebase Couchbase CouchDB
pgvector Pinecone Weaviate Qdrant Milvus ChromaDB Vectorize FAISS Lucene Kafka RabbitMQ ActiveMQ NATS SQS SNS Kinesis Sidekiq BullMQ Dagster
Kubernetes K8s Docker Podman Terraform Pulumi Ansible Nginx HAProxy Traefik Istio Linkerd ArgoCD Jenkins CircleCI Bazel Gradle Maven
AWS GCP Azure Cloudflare Vercel Netlify Heroku DigitalOcean Hetzner OpenShift Fargate CloudFront CloudFormation CloudWatch S3 EC2 ECS EKS GKE AKS RDS
Prometheus Grafana Datadog Sentry Splunk Kibana Logstash OpenTelemetry Jaeger Zipkin PagerDuty
TypeScript JavaScript Golang Kotlin Haskell Elixir Erlang Clojure OCaml PHP WebAssembly WASM GraphQL gRPC Protobuf OpenAPI tRPC WebSocket WebSockets WebRTC
Node.js Deno Bun Next.js Nuxt Vue Vue.js Svelte SvelteKit SolidJS Preact jQuery Redux Zustand MobX Jotai Tailwind Vite Webpack Rollup esbuild Rolldown Turbopack
Turborepo Lerna pnpm npm yarn ESLint oxlint Vitest Playwright Selenium Puppeteer Express.js Fastify Hono NestJS Koa Django FastAPI Laravel Symfony 
Hibernate SQLAlchemy Prisma Drizzle TypeORM Sequelize Mongoose Zod Pydantic Axios Lodash PyTorch TensorFlow Keras NumPy SciPy pandas scikit-learn LangChain LlamaIndex Ollama vLLM
OpenAI Anthropic ChatGPT GitHub GitLab Bitbucket Jira Confluence Trello Asana Figma Miro Auth0 Okta Keycloak Cognito OAuth OAuth2 OIDC SAML JWT
 PayPal Twilio SendGrid Mailgun Shopify Salesforce HubSpot Zapier Linux Ubuntu Debian Alpine Fedora macOS iOS Xcode IntelliJ PyCharm WebStorm Neovim Emacs
Miniflare workerd Wrangler Hyperdrive FTS5 Homebrew Chromium Firefox Tauri Xamarin Blender Dropbox Grafbase Inngest LaunchDarkly
 Mixpanel PostHog dbt Metabase PowerShell MinIO etcd Zookeeper Hadoop Trino Avro NixOS systemd libSQL SurrealDB`;

/** Everyday words, too: only with their capital, and at the beginning of a sentence only before what shows that a name is meant. */
const capitalised = `Storybook Go Rust Swift React Express Spring Ruby Node Dart Julia Ember Remix Astro Nest Next Helm Vault Consul Nomad Puppet Spark Flink
Hive Slack Notion Linear Discord Zoom Sketch Loki Tempo Mercurial Git Make CMake Cargo Rollbar Render Railway Expo Ionic Chroma Claude Cursor Windsurf Excel Bash Zsh Fly Neon
Temporal Celery Windows Bootstrap Resend Llama Gemini Rails Vim Unity Unreal Capacitor Clerk Cypress Mocha Jest Recoil Envoy Parquet Iceberg Amplitude Looker Tableau Flutter Electron Prettier Babel Yarn Airflow Flask Postmark Copilot Mistral Redshift Snowflake Stripe Plaid Biome Safari Presto Perl Cassandra Angular Pulsar Android Lua Scala Nix Pusher Ably Intercom Argo Rancher Kong Caddy Apache Tomcat Jetty Oracle Chrome Opera Bun Deno Meteor Gatsby Hugo Jekyll Lit Alpine Pinia Vuex Actix Tokio Serde Phoenix Akka`;

const phrases = `
GitHub Actions|GitLab CI|VS Code|Visual Studio Code|Visual Studio|Claude Code|Claude Desktop|Google Cloud|Google Cloud Platform|Cloud Run|Cloud Functions|Google Sheets|Google Drive|Google Analytics|Google Maps
Amazon Web Services|Amazon S3|AWS Lambda|Azure DevOps|Azure Functions|Cloudflare Workers|Workers AI|Workers KV|Durable Objects|Durable Object|Cloudflare D1|Tailwind CSS|React Native|React Query|React Router|TanStack Query|Redux Toolkit
Ruby on Rails|Spring Boot|Spring Security|SQL Server|Microsoft SQL Server|Microsoft Teams|Microsoft Office|Power BI|Android Studio|Docker Compose|Docker Swarm|Docker Desktop|Docker Hub|Apache Kafka|Apache Spark|Apache Airflow|Argo CD
Jetpack Compose|Material UI|Styled Components|Testing Library|Express Gateway|New Relic|Elastic Stack|Terraform Cloud|Hugging Face|Claude Opus|Claude Sonnet|Node Package Manager|LM Studio|Let's Encrypt|Raspberry Pi|Stack Overflow|Hacker News`;

const namesIn = (list: string): string[] => list.split(/\s+/).filter((name) => name !== "");
/** Node.js, NodeJS and nodejs are one. */
const dotless = (name: string): string => name.toLowerCase().replaceAll(".", "");
const anyCase = new Set(namesIn(plain).map(dotless));
const withCapital = new Set(namesIn(capitalised));
const severalWords = new Set(phrases.split(/[|\n]/).map((name) => name.trim().toLowerCase()).filter((name) => name !== ""));
/** In words. */
export const longestTechnology = 4;

export const isTechnology = (word: string): boolean => anyCase.has(dotless(word));
export const isTechnologyWithCapital = (word: string): boolean => withCapital.has(word);
export const isTechnologyPhrase = (words: string): boolean => severalWords.has(words.toLowerCase());
