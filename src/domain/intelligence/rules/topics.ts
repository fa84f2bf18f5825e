/**
 * What a note is about, in a closed list: tags of content's own words would be as many as memories, and could hold what nobody
 * meant to be a label.
 */
const topics: Record<string, RegExp> = {
  database: /(?<![a-z])(?:database|datenbank\w*|postgres\w*|mysql|mariadb|sqlite|mongodb|dynamodb|sql|schema|migrations?|index(?:es)?|transactions?|tables?|replica|redis|bigquery|d1)(?![a-z])|数据库|索引|事务|分库|データベース|トランザクション|インデックス/,
  api: /(?<![a-z])(?:api|apis|rest|grpc|graphql|openapi|endpoints?|webhooks?|schnittstelle\w*|http)(?![a-z])|接口|网关|エンドポイント/,
  security: /(?<![a-z])(?:security|auth\w*|oauth\w*|login|mfa|tokens?|encrypt\w*|permissions?|session (?:tokens?|cookies?|ids?|fixation|hijacking)|secrets?|keycloak|cors|sicherheit|anmeldung|berechtigung\w*)(?![a-z])|安全|登录|权限|加密|認証|セキュリティ|権限/,
  privacy: /(?<![a-z])(?:gdpr|dsgvo|personal data|privacy|personenbezogen\w*|datenschutz)(?![a-z])|个人信息|隐私|個人情報/,
  payments: /(?<![a-z])(?:payments?|billing|invoices?|stripe|charges?|pricing|refunds?|zahlung\w*|rechnung\w*|abbuchung\w*)(?![a-z])|支付|扣款|发票|对账|課金|請求|決済/,
  frontend: /(?<![a-z])(?:frontend|react|vue|svelte|css|browser|safari|components?|ui|modal|next\.js|oberfläche)(?![a-z])|前端|弹窗|小程序|フロント|画面|モーダル/,
  mobile: /(?<![a-z])(?:android|ios|swiftui|flutter|react native|mobile|app store)(?![a-z])|安卓|客户端|モバイル/,
  testing: /(?<![a-z])(?:tests?|testing|vitest|jest|fixtures?|mocks?|flaky|qa|testdaten)(?![a-z])|测试用例|单元测试|用例|テスト/,
  deployment: /(?<![a-z])(?:deploy\w*|release\w*|ci|docker|kubernetes|terraform|rollout|pipeline|build|helm)(?![a-z])|上线|发布|部署|リリース|デプロイ/,
  infrastructure: /(?<![a-z])(?:aws|s3|nginx|cluster|servers?|region|lambda|cloudfront|cloudflare|hosting|backups?|cron|sicherung\w*|proxy)(?![a-z])|机房|备份|服务器|サーバー|バックアップ|リージョン/,
  performance: /(?<![a-z])(?:performance|latency|p95|p99|slow|cache\w*|pool|memory leak|n\+1|throughput|timeouts?|speicherleck|langsam)(?![a-z])|延迟|缓存|连接池|性能|遅延|キャッシュ|メモリリーク|コネクション/,
  messaging: /(?<![a-z])(?:kafka|rabbitmq|queues?|sqs|events?|outbox|warteschlange|pub\/?sub)(?![a-z])|消息队列|キュー/,
  monitoring: /(?<![a-z])(?:grafana|prometheus|alerts?|logs?|logging|log_level|dashboards?|tracing|postmortem|incidents?|outages?|ausfälle)(?![a-z])|日志|监控|故障|ログ|監視|障害/,
  documentation: /(?<![a-z])(?:docs?|documentation|wiki|runbook|guide|handbuch|confluence|rfc)(?![a-z])|文档|手册|仕様書|手順書/,
  data: /(?<![a-z])(?:analytics|warehouse|dbt|reports?|bericht\w*|csv|exports?|imports?|etl|dataset)(?![a-z])|报表|日报|导出|数据平台|集計|日報|データ基盤/,
  ai: /(?<![a-z])(?:llms?|embeddings?|prompts?|models? weights|gpt|claude|inference)(?![a-z])|大模型|向量|プロンプト/,
  people: /(?<![a-z])(?:team|customers?|engineers?|leads?|joined|contact|kunde|vertrieb|meetings?|vacation|urlaub)(?![a-z])|负责人|客户|会议|さん|チーム|顧客|会議/,
};

const head = 1_500;
const most = 3;

/** Up to three topics, those said first before the others. */
export function topicsOf(content: string): string[] {
  const text = content.slice(0, head).toLowerCase();
  return Object.entries(topics)
    .flatMap(([topic, pattern]) => {
      const at = text.search(pattern);
      return at === -1 ? [] : [{ topic, at }];
    })
    .sort((a, b) => a.at - b.at)
    .slice(0, most)
    .map(({ topic }) => topic);
}
