import { Random } from "./random.js";

/** Vocabularies, most common words first. Real words for searches, generated ones for the long tail. */

const COMMON =
  `the to a of and is in that it for on with as this be are at from by or an if not we can has was will you
your have but so which when all then there use one out what how would should need time make get also just only more some
into them its do no up any been they our my me here like now see set run new first same other way may must each after
before about because where while file code error data server test user build config message value line name list call
function return default version change check fix update install deploy docker database query index table column commit
branch merge request response token session model agent tool search result output input path folder package module
import export string number object array type class method field key cache memory thread process worker queue job lock
transaction write read open close start stop restart log debug trace warning issue problem cause reason because however
therefore instead already probably really actually maybe sure please thanks right wrong good better best next last long
short small large fast slow simple hard easy clear exact whole part side end begin point place case example question
answer idea plan step work system service network client host port address domain certificate secret password account
permission group role policy rule event handler callback promise async await loop array buffer stream chunk page limit
offset count total average median latency throughput bandwidth retry timeout failure success status health metric alert
dashboard report release rollback migration backup restore snapshot replica shard cluster node container image volume
kubernetes python typescript javascript rust golang java linux ubuntu debian macos windows postgres sqlite redis nginx
weather morning evening dinner travel ticket hotel flight meeting calendar reminder birthday garden kitchen recipe music`
    .split(/\s+/)
    .filter((word, i, all) => all.indexOf(word) === i);

const ONSETS =
  "b br c ch cl cr d dr f fl fr g gl gr h j k l m n p pl pr qu r s sc sh sl sp st str t th tr v w x z".split(
    " ",
  );
const VOWELS = "a e i o u ai ea ee ie io oa ou".split(" ");
const CODAS = " n r s t l m d ck nd st rt ng x".split(" ");

function tail(count: number): string[] {
  const random = new Random(7);
  const words = new Set<string>();
  while (words.size < count) {
    let word = "";
    for (let i = random.between(1, 4); i > 0; i -= 1)
      word += random.pick(ONSETS) + random.pick(VOWELS) + random.pick(CODAS);
    words.add(word);
  }
  return [...words];
}

export const ENGLISH = [...COMMON, ...tail(20_000)];

const HANZI = [
  ..."的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件计管期市直德资命山金指克许统区保至队形社便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住告类求据程北边死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争运",
];

/** Searched words, then two- and three-character words made of common characters. */
function hanziWords(): string[] {
  const random = new Random(11);
  const real =
    "我们 可以 问题 部署 服务器 数据库 错误 没有 需要 使用 现在 这个 配置 文件 如果 然后 已经 运行 测试 消息 连接 更新 版本 日志 内存 缓存 网络 超时 重新启动 天气 明天 会议 提醒 备份 性能 优化 查询 索引 用户 权限 接口 请求".split(
      " ",
    );
  const made = Array.from({ length: 4000 }, () =>
    Array.from({ length: random.between(2, 3) }, () => random.zipf(HANZI)).join(""),
  );
  return [...real, ...made];
}
export const CHINESE = hanziWords();

export const JAPANESE =
  "の は を が に で と も です ます した する ください サーバー データベース エラー 設定 ファイル 問題 確認 必要 実行 テスト メッセージ 接続 更新 バージョン ログ メモリ ネットワーク 再起動 天気 明日 会議 東京 京都 お願いします ありがとう プログラム 関数 変数 検索 結果 画面 表示 入力 出力 処理 時間 場合 方法 使用 追加 削除 変更 保存 開始 終了 自動 手動 日本語 電車 予約 今日 昨日 来週 開発 環境 本番 検証 修正 バグ 原因 対応 完了 コンテナ クラスタ インデックス キャッシュ タイムアウト パフォーマンス デプロイ ブランチ コミット リクエスト レスポンス トークン セッション ユーザー 権限 証明書".split(
    " ",
  );

export const VIETNAMESE =
  "và của là có không được cho trong một những người này đã với các để khi như về từ thì ra phải tôi bạn làm việc máy chủ cơ sở dữ liệu lỗi cấu hình tệp tin vấn đề kiểm tra chạy thử tin nhắn kết nối cập nhật phiên bản nhật ký bộ nhớ mạng khởi động lại thời tiết ngày mai cuộc họp Hà Nội Sài Gòn xin cảm ơn vui lòng chương trình hàm biến tìm kiếm kết quả màn hình hiển thị nhập xuất xử lý thời gian trường hợp phương pháp sử dụng thêm xóa thay đổi lưu bắt đầu kết thúc tự động hôm nay hôm qua tuần sau phát triển môi trường sửa nguyên nhân hoàn thành quyền truy cập chứng chỉ".split(
    " ",
  );

export const EMOJI = ["👍", "🎉", "🚀", "😅", "✅", "❌", "🔥", "👩‍💻", "🐛", "📦", "🇻🇳", "❤️"];

export const TOOLS = [
  "terminal",
  "read_file",
  "write_file",
  "web_search",
  "search_files",
  "browser_navigate",
  "patch",
  "todo",
];
