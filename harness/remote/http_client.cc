#include "harness/remote/http_client.h"

#include <curl/curl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <mutex>
#include <set>
#include <string_view>
#include <utility>

#include "harness/core/check.h"
#include "harness/core/environment_error.h"
#include "harness/core/input_error.h"
#include "harness/core/printable.h"
#include "harness/machine/steady_clock.h"
#include "harness/remote/socket_events.h"

namespace harness {
namespace {

constexpr std::size_t kLargestHeaders = std::size_t{256} << 10;
constexpr long kKeptConnections = 65'536;  // libcurl would close those beyond four a transfer under way
constexpr std::size_t kLongestText = 200;
constexpr int kFirstStatus = 200;  // those below it announce another one
constexpr int kFirstOther = 300;

void initialise_once() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) throw EnvironmentError("libcurl does not start");
  });
}

/// Sees to it that the process may open so many connections beside its files. Throws EnvironmentError.
void allow_connections(std::size_t connections) {
  constexpr rlim_t kBeside = 64;
  const rlim_t needed = connections + kBeside;
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  if (files.rlim_cur >= needed) return;
  const rlimit more{std::min(needed, files.rlim_max), files.rlim_max};
  if (more.rlim_cur == needed && setrlimit(RLIMIT_NOFILE, &more) == 0) return;
  throw EnvironmentError(std::to_string(connections) + " connections need " + std::to_string(needed) +
                         " open files; this machine allows " + std::to_string(files.rlim_max) +
                         " (ulimit -Hn)");
}

}  // namespace

void check_http_url(const std::string& url, const InputPlace& place) {
  CURLU* parts = curl_url();
  const CURLUcode code = curl_url_set(parts, CURLUPART_URL, url.c_str(), CURLU_NON_SUPPORT_SCHEME);
  char* scheme = nullptr;
  std::string_view found;
  if (code == CURLUE_OK && curl_url_get(parts, CURLUPART_SCHEME, &scheme, 0) == CURLUE_OK) found = scheme;
  const bool is_http = found == "http" || found == "https";
  char* user = nullptr;
  const bool has_user = code == CURLUE_OK && curl_url_get(parts, CURLUPART_USER, &user, 0) == CURLUE_OK;
  curl_free(user);
  curl_free(scheme);
  curl_url_cleanup(parts);
  const bool whole = url.find('\0') == std::string::npos;
  if (code == CURLUE_OK && is_http && whole && !has_user) return;
  const char* const why = code != CURLUE_OK ? curl_url_strerror(code)
                          : has_user        ? "it has a user or password, which results would show"
                                            : "not http";
  throw input_refusal(place, std::string("the server's URL cannot be used (") + why +
                                 "); allowed: http://HOST:PORT/PATH, or https");
}

namespace {

/// Returns the kind of a failure. `text` is libcurl's line about it.
HttpError kind_of(CURLcode code, bool headers_arrived, std::string_view text) {
  switch (code) {
    case CURLE_OK:
      return HttpError::kNoError;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_CONNECT:
    case CURLE_PROXY:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_PEER_FAILED_VERIFICATION:
      return HttpError::kUnreachable;
    case CURLE_OPERATION_TIMEDOUT:
      return HttpError::kTimedOut;
    case CURLE_FILESIZE_EXCEEDED:
      return HttpError::kTooLarge;
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_BAD_FUNCTION_ARGUMENT:  // a first line of a header that begins with a space
    case CURLE_WEIRD_SERVER_REPLY:
      return HttpError::kMalformed;
    // libcurl has no room for a line of more than 100 KB.
    case CURLE_OUT_OF_MEMORY:
      return headers_arrived ? HttpError::kClosed : HttpError::kTooLarge;
    case CURLE_RECV_ERROR:
      return text.find("chunked-encoding") != text.npos ? HttpError::kMalformed : HttpError::kClosed;
    default:
      return HttpError::kClosed;
  }
}

}  // namespace

/// The transfers of a client. Each has a handle of libcurl of its own: before 8.0, a handle that is used
/// again reads freed memory if the first line of a header begins with a space. Timeouts are kept here:
/// libcurl's may get lost when data arrive in the same millisecond.
class HttpClient::Transfers {
 public:
  explicit Transfers(const Options& options);
  ~Transfers();

  void start(const HttpRequest& request, std::uint64_t tag);
  void wait(TimeNs deadline_ns);
  void take(std::vector<HttpEnd>& ended);
  std::size_t in_flight() const { return under_way_ + waiting_.size(); }

 private:
  struct Transfer {
    const Options* options = nullptr;
    CURL* handle = nullptr;
    HttpRequest request;
    HttpEnd end;
    TimeNs deadline_ns = kNever;
    std::size_t header_bytes = 0;
    std::size_t body_bytes = 0;
    bool headers_arrived = false;
    bool too_large = false;
    std::array<char, CURL_ERROR_SIZE> text{};
  };
  struct Waiting {
    HttpRequest request;
    std::uint64_t tag = 0;
    TimeNs deadline_ns = kNever;
  };

  Transfer& idle_transfer();
  void set_up(Transfer& transfer);
  void begin(Waiting next);
  void act(curl_socket_t socket, int ready);
  void run_due_timer();
  void end_overdue();
  TimeNs next_deadline_ns() const {
    return std::min(deadlines_.empty() ? kNever : deadlines_.begin()->first,
                    waiting_.empty() ? kNever : waiting_.front().deadline_ns);
  }
  void collect();
  void finish(Transfer& transfer, CURLcode code);

  static std::size_t on_header(char* line, std::size_t size, std::size_t count, void* user);
  static std::size_t on_body(char* bytes, std::size_t size, std::size_t count, void* user);
  static int on_socket(CURL*, curl_socket_t socket, int what, void* user, void*);
  static int on_timer(CURLM*, long ms, void* user);
  static curl_socket_t on_open(void* user, curlsocktype, curl_sockaddr* address);
  static int on_close(void* user, curl_socket_t socket);

  Options options_;
  SocketEvents sockets_;
  CURLM* multi_ = nullptr;
  TimeNs timer_ns_ = kNever;
  std::string checked_url_;
  std::vector<std::unique_ptr<Transfer>> transfers_;
  std::vector<Transfer*> idle_;
  std::deque<Waiting> waiting_;
  std::set<std::pair<TimeNs, Transfer*>> deadlines_;
  std::size_t under_way_ = 0;
  std::vector<HttpEnd> ended_;
  std::vector<SocketEvents::Event> events_;
};

HttpClient::Transfers::Transfers(const Options& options) : options_(options) {
  allow_connections(options.connections);
  initialise_once();
  multi_ = curl_multi_init();
  if (multi_ == nullptr) throw EnvironmentError("libcurl has no memory or descriptors");
  curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, &on_socket);
  curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, &on_timer);
  curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, kKeptConnections);
}

HttpClient::Transfers::~Transfers() {
  for (const auto& transfer : transfers_) {
    if (transfer->handle == nullptr) continue;
    curl_multi_remove_handle(multi_, transfer->handle);
    curl_easy_cleanup(transfer->handle);
  }
  curl_multi_cleanup(multi_);
}

HttpClient::Transfers::Transfer& HttpClient::Transfers::idle_transfer() {
  if (idle_.empty()) {
    transfers_.push_back(std::make_unique<Transfer>());
    transfers_.back()->options = &options_;
    idle_.push_back(transfers_.back().get());
  }
  Transfer& transfer = *idle_.back();
  idle_.pop_back();
  return transfer;
}

void HttpClient::Transfers::set_up(Transfer& transfer) {
  transfer.handle = curl_easy_init();
  if (transfer.handle == nullptr) throw EnvironmentError("libcurl has no memory for a transfer");
  const auto set = [&](CURLoption option, auto value) {
    const CURLcode code = curl_easy_setopt(transfer.handle, option, value);
    HARNESS_CHECK(code == CURLE_OK, curl_easy_strerror(code));
  };
  set(CURLOPT_PRIVATE, &transfer);
  set(CURLOPT_ERRORBUFFER, transfer.text.data());
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_TCP_NODELAY, 1L);
  set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  set(CURLOPT_FOLLOWLOCATION, 0L);
  set(CURLOPT_PROXY, "");
  set(CURLOPT_DNS_CACHE_TIMEOUT, -1L);
  set(CURLOPT_MAXFILESIZE_LARGE, static_cast<curl_off_t>(options_.largest_bytes));
  set(CURLOPT_HEADERFUNCTION, &on_header);
  set(CURLOPT_HEADERDATA, &transfer);
  set(CURLOPT_WRITEFUNCTION, &on_body);
  set(CURLOPT_WRITEDATA, &transfer);
  set(CURLOPT_OPENSOCKETFUNCTION, &on_open);
  set(CURLOPT_OPENSOCKETDATA, this);
  set(CURLOPT_CLOSESOCKETFUNCTION, &on_close);
  set(CURLOPT_CLOSESOCKETDATA, this);
  const HttpRequest& request = transfer.request;
  set(CURLOPT_URL, request.url.c_str());
  static const HttpHeaders kNoHeaders({});
  set(CURLOPT_HTTPHEADER, (request.headers != nullptr ? *request.headers : kNoHeaders).list());
  if (request.method == HttpMethod::kGet) return;
  const std::string_view body = request.body != nullptr ? std::string_view(*request.body) : "";
  set(CURLOPT_POST, 1L);
  set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
  set(CURLOPT_POSTFIELDS, body.data());
}

void HttpClient::Transfers::start(const HttpRequest& request, std::uint64_t tag) {
  if (request.url.empty() || request.url != checked_url_) {
    check_http_url(request.url);
    checked_url_ = request.url;
  }
  Waiting next{request, tag, request.timeout_ms > 0 ? steady_ns() + request.timeout_ms * kNsPerMs : kNever};
  if (options_.connections > 0 && under_way_ >= options_.connections) {
    waiting_.push_back(std::move(next));
    return;
  }
  begin(std::move(next));
  run_due_timer();
}

void HttpClient::Transfers::begin(Waiting next) {
  Transfer& transfer = idle_transfer();
  transfer.request = std::move(next.request);
  transfer.end = {};
  transfer.end.tag = next.tag;
  transfer.header_bytes = transfer.body_bytes = 0;
  transfer.headers_arrived = transfer.too_large = false;
  transfer.text[0] = '\0';
  set_up(transfer);
  ++under_way_;
  transfer.end.started_ns = steady_ns();
  transfer.deadline_ns = next.deadline_ns;
  if (next.deadline_ns != kNever) deadlines_.emplace(transfer.deadline_ns, &transfer);
  const CURLMcode code = curl_multi_add_handle(multi_, transfer.handle);
  if (code != CURLM_OK) throw EnvironmentError(std::string("libcurl: ") + curl_multi_strerror(code));
}

void HttpClient::Transfers::act(curl_socket_t socket, int ready) {
  int running = 0;
  const CURLMcode code = curl_multi_socket_action(multi_, socket, ready, &running);
  if (code != CURLM_OK) throw EnvironmentError(std::string("libcurl: ") + curl_multi_strerror(code));
  collect();
}

void HttpClient::Transfers::run_due_timer() {
  if (timer_ns_ > steady_ns()) return;
  timer_ns_ = kNever;
  act(CURL_SOCKET_TIMEOUT, 0);
  // libcurl announces only what changes.
  long ms = -1;
  curl_multi_timeout(multi_, &ms);
  on_timer(multi_, ms, this);
}

void HttpClient::Transfers::end_overdue() {
  const TimeNs now_ns = steady_ns();
  while (!waiting_.empty() && waiting_.front().deadline_ns <= now_ns) {
    HttpEnd& end = ended_.emplace_back();
    end.tag = waiting_.front().tag;
    end.error = HttpError::kTimedOut;
    end.error_text = "no connection was free in time";
    end.started_ns = end.ended_ns = now_ns;
    waiting_.pop_front();
  }
  while (!deadlines_.empty() && deadlines_.begin()->first <= now_ns)
    finish(*deadlines_.begin()->second, CURLE_OPERATION_TIMEDOUT);
}

void HttpClient::Transfers::wait(TimeNs deadline_ns) {
  run_due_timer();
  sockets_.look(events_);
  if (events_.empty() && ended_.empty()) {
    sockets_.sleep_until(std::min({deadline_ns, timer_ns_, next_deadline_ns()}));
    sockets_.look(events_);
  }
  for (const SocketEvents::Event& event : events_) {
    act(event.socket, ((event.ready & SocketEvents::kRead) != 0 ? CURL_CSELECT_IN : 0) |
                          ((event.ready & SocketEvents::kWrite) != 0 ? CURL_CSELECT_OUT : 0));
  }
  run_due_timer();
  end_overdue();
}

void HttpClient::Transfers::take(std::vector<HttpEnd>& ended) {
  ended.insert(ended.end(), std::make_move_iterator(ended_.begin()), std::make_move_iterator(ended_.end()));
  ended_.clear();
}

void HttpClient::Transfers::collect() {
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    const CURLcode code = message->data.result;
    void* user = nullptr;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &user);
    finish(*static_cast<Transfer*>(user), code);
  }
}

void HttpClient::Transfers::finish(Transfer& transfer, CURLcode code) {
  HttpEnd& end = transfer.end;
  end.ended_ns = steady_ns();
  long status = 0;
  curl_easy_getinfo(transfer.handle, CURLINFO_RESPONSE_CODE, &status);
  const bool answered = transfer.headers_arrived && status >= kFirstStatus;
  if (answered) end.status = static_cast<int>(status);
  end.error = transfer.too_large ? HttpError::kTooLarge
                                 : kind_of(code, transfer.headers_arrived, transfer.text.data());
  if (end.error == HttpError::kTooLarge) {
    end.error_text = answered ? "the answer is too large" : "the headers of the answer are too large";
  } else if (end.error != HttpError::kNoError) {
    end.error_text =
        printable(transfer.text[0] != '\0' ? transfer.text.data() : curl_easy_strerror(code), kLongestText);
  } else if (!answered) {
    end.error = HttpError::kClosed;
    end.error_text = "the connection ended within the headers of the answer";
  } else if (status >= kFirstOther) {
    end.error = HttpError::kHttpStatus;
    end.error_text = "answered " + std::to_string(status);
  }
  deadlines_.erase({transfer.deadline_ns, &transfer});
  curl_multi_remove_handle(multi_, transfer.handle);
  curl_easy_cleanup(std::exchange(transfer.handle, nullptr));
  transfer.request = {};
  ended_.push_back(std::move(end));
  idle_.push_back(&transfer);
  --under_way_;
  if (waiting_.empty()) return;
  Waiting next = std::move(waiting_.front());
  waiting_.pop_front();
  begin(std::move(next));
}

std::size_t HttpClient::Transfers::on_header(char* line, std::size_t size, std::size_t count, void* user) {
  Transfer& transfer = *static_cast<Transfer*>(user);
  const std::string_view text(line, size * count);
  if (text.starts_with("HTTP/")) transfer.headers_arrived = false;
  if (text == "\r\n" || text == "\n") transfer.headers_arrived = true;
  transfer.header_bytes += text.size();
  transfer.too_large = transfer.header_bytes > kLargestHeaders;
  return transfer.too_large ? 0 : text.size();
}

std::size_t HttpClient::Transfers::on_body(char* bytes, std::size_t size, std::size_t count, void* user) {
  Transfer& transfer = *static_cast<Transfer*>(user);
  std::string& kept = transfer.end.body;
  const std::size_t arrived = size * count;
  transfer.body_bytes += arrived;
  const std::size_t room = transfer.options->kept_bytes - kept.size();
  kept.append(bytes, std::min(room, arrived));
  transfer.end.body_cut = transfer.end.body_cut || arrived > room;
  transfer.too_large = transfer.body_bytes > transfer.options->largest_bytes;
  return transfer.too_large ? 0 : arrived;
}

int HttpClient::Transfers::on_socket(CURL*, curl_socket_t socket, int what, void* user, void*) {
  const bool reads = what == CURL_POLL_IN || what == CURL_POLL_INOUT;
  const bool writes = what == CURL_POLL_OUT || what == CURL_POLL_INOUT;
  const auto wanted =
      static_cast<std::uint8_t>((reads ? SocketEvents::kRead : 0) | (writes ? SocketEvents::kWrite : 0));
  return static_cast<Transfers*>(user)->sockets_.want(socket, wanted) ? 0 : -1;
}

int HttpClient::Transfers::on_timer(CURLM*, long ms, void* user) {
  static_cast<Transfers*>(user)->timer_ns_ = ms < 0 ? kNever : steady_ns() + TimeNs{ms} * kNsPerMs;
  return 0;
}

curl_socket_t HttpClient::Transfers::on_open(void* user, curlsocktype, curl_sockaddr* address) {
  const int socket = ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
  if (socket >= 0) static_cast<Transfers*>(user)->sockets_.opened(socket);
  return socket;
}

int HttpClient::Transfers::on_close(void* user, curl_socket_t socket) {
  static_cast<Transfers*>(user)->sockets_.closed(socket);
  return close(socket);
}

HttpClient::HttpClient(const Options& options) : transfers_(std::make_unique<Transfers>(options)) {}
HttpClient::HttpClient() : HttpClient(Options()) {}
HttpClient::~HttpClient() = default;
void HttpClient::start(const HttpRequest& request, std::uint64_t tag) { transfers_->start(request, tag); }
void HttpClient::wait(TimeNs deadline_ns) { transfers_->wait(deadline_ns); }
void HttpClient::take(std::vector<HttpEnd>& ended) { transfers_->take(ended); }
std::size_t HttpClient::in_flight() const { return transfers_->in_flight(); }

}  // namespace harness
