<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="ru">
<context>
    <name>AboutPlan</name>
    <message>
        <source>KV cache</source>
        <translation>KV-кэш</translation>
    </message>
    <message>
        <source>weights</source>
        <translation>веса</translation>
    </message>
</context>
<context>
    <name>AddEngine</name>
    <message>
        <source>/path/to/venv or /path/to/python</source>
        <translation>/путь/к/venv или /путь/к/python</translation>
    </message>
    <message>
        <source>A vLLM you already have</source>
        <translation>vLLM, который у вас уже есть</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>Добавить</translation>
    </message>
    <message>
        <source>Add this engine</source>
        <translation>Добавить этот движок</translation>
    </message>
    <message>
        <source>Browse…</source>
        <translation>Обзор…</translation>
    </message>
    <message>
        <source>Choose an environment&apos;s folder</source>
        <translation>Выберите папку окружения</translation>
    </message>
    <message>
        <source>Its Python or its environment&apos;s folder. Stowage uses it and never changes it.</source>
        <translation>Его Python или папка его окружения. Stowage пользуется им и никогда его не меняет.</translation>
    </message>
    <message>
        <source>Path of a Python or of an environment with vLLM</source>
        <translation>Путь к Python или к окружению с vLLM</translation>
    </message>
</context>
<context>
    <name>AddFolder</name>
    <message>
        <source>A folder with config.json, the safetensors files and the tokenizer.</source>
        <translation>Папка, где лежат config.json, файлы safetensors и токенизатор.</translation>
    </message>
    <message>
        <source>A model on this computer</source>
        <translation>Модель на этом компьютере</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>Добавить</translation>
    </message>
    <message>
        <source>Add this folder</source>
        <translation>Добавить эту папку</translation>
    </message>
    <message>
        <source>Browse…</source>
        <translation>Обзор…</translation>
    </message>
    <message>
        <source>Choose a checkpoint folder</source>
        <translation>Выберите папку с моделью</translation>
    </message>
    <message>
        <source>Paste a path, or drop a folder on this page</source>
        <translation>Вставьте путь или перетащите папку на эту страницу</translation>
    </message>
    <message>
        <source>Path of a checkpoint folder</source>
        <translation>Путь к папке с моделью</translation>
    </message>
</context>
<context>
    <name>Answer</name>
    <message>
        <source>Answer</source>
        <translation>Ответ</translation>
    </message>
    <message>
        <source>Copy the answer as Markdown</source>
        <translation>Скопировать ответ в Markdown</translation>
    </message>
    <message>
        <source>Reasoning</source>
        <translation>Рассуждения</translation>
    </message>
    <message>
        <source>The model&apos;s reasoning</source>
        <translation>Рассуждения модели</translation>
    </message>
    <message>
        <source>Waiting for the first token…</source>
        <translation>Ждём первый токен…</translation>
    </message>
</context>
<context>
    <name>Banner</name>
    <message>
        <source>Close this message</source>
        <translation>Закрыть это сообщение</translation>
    </message>
    <message>
        <source>Copy details</source>
        <translation>Скопировать подробности</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>Подробности</translation>
    </message>
</context>
<context>
    <name>BudgetDetails</name>
    <message>
        <source>Close</source>
        <translation>Закрыть</translation>
    </message>
    <message>
        <source>No program uses this card now.</source>
        <translation>Сейчас этой картой не пользуется ни одна программа.</translation>
    </message>
    <message>
        <source>Our server&apos;s part is taken from its log.</source>
        <translation>Доля нашего сервера взята из его журнала.</translation>
    </message>
    <message>
        <source>The driver does not tell which programs use this card.</source>
        <translation>Драйвер не сообщает, какие программы пользуются этой картой.</translation>
    </message>
    <message>
        <source>This computer</source>
        <translation>Этот компьютер</translation>
    </message>
    <message>
        <source>What the processor can compute with directly; vLLM uses it on the CPU.</source>
        <translation>С чем процессор умеет считать напрямую; vLLM пользуется этим на CPU.</translation>
    </message>
</context>
<context>
    <name>BudgetPanel</name>
    <message>
        <source>Memory and disks</source>
        <translation>Память и диски</translation>
    </message>
</context>
<context>
    <name>BudgetTerms</name>
    <message numerus="yes">
        <source>%n process(es)</source>
        <translation>
            <numerusform>%n процесс</numerusform>
            <numerusform>%n процесса</numerusform>
            <numerusform>%n процессов</numerusform>
        </translation>
    </message>
    <message>
        <source>Engines and models of Stowage.</source>
        <translation>Движки и модели Stowage.</translation>
    </message>
    <message>
        <source>Files on this disk, whoever&apos;s they are.</source>
        <translation>Файлы на этом диске, чьи бы они ни были.</translation>
    </message>
    <message>
        <source>Held by the server that Stowage started.</source>
        <translation>Занято сервером, который запустил Stowage.</translation>
    </message>
    <message>
        <source>In use, but by no program that can be seen: the system itself, or other users.</source>
        <translation>Занято, но не видно кем: самой системой или другими пользователями.</translation>
    </message>
    <message>
        <source>It cannot be told for certain.</source>
        <translation>Точно сказать нельзя.</translation>
    </message>
    <message>
        <source>It is hidden from programs like this one.</source>
        <translation>Скрыто от таких программ, как эта.</translation>
    </message>
    <message>
        <source>It is not measured yet.</source>
        <translation>Ещё не измерено.</translation>
    </message>
    <message>
        <source>KV unused</source>
        <translation>KV свободен</translation>
    </message>
    <message>
        <source>Nobody uses it.</source>
        <translation>Никем не занято.</translation>
    </message>
    <message>
        <source>Reading it failed.</source>
        <translation>Прочитать не удалось.</translation>
    </message>
    <message>
        <source>Room that you may still fill.</source>
        <translation>Место, которое ещё можно занять.</translation>
    </message>
    <message>
        <source>Set aside for the conversation and not in use at this moment.</source>
        <translation>Отведено под разговор и сейчас не используется.</translation>
    </message>
    <message>
        <source>Stowage is not allowed to read it.</source>
        <translation>Stowage не разрешено это читать.</translation>
    </message>
    <message>
        <source>The driver answered with a figure that cannot be.</source>
        <translation>Драйвер назвал невозможное число.</translation>
    </message>
    <message>
        <source>The driver does not answer any more.</source>
        <translation>Драйвер больше не отвечает.</translation>
    </message>
    <message>
        <source>The driver does not tell.</source>
        <translation>Драйвер этого не сообщает.</translation>
    </message>
    <message>
        <source>The graphics card sleeps to save power; it is not woken just to ask.</source>
        <translation>Видеокарта спит, чтобы беречь энергию; ради вопроса её не будят.</translation>
    </message>
    <message>
        <source>The graphics driver keeps this for itself.</source>
        <translation>Это драйвер видеокарты держит для себя.</translation>
    </message>
    <message>
        <source>There is nothing to read it from.</source>
        <translation>Прочитать это неоткуда.</translation>
    </message>
    <message>
        <source>does not fit</source>
        <translation>не помещается</translation>
    </message>
    <message>
        <source>files</source>
        <translation>файлы</translation>
    </message>
    <message>
        <source>fits</source>
        <translation>помещается</translation>
    </message>
    <message>
        <source>tight</source>
        <translation>впритык</translation>
    </message>
    <message>
        <source>{part}: {size}</source>
        <translation>{part}: {size}</translation>
    </message>
</context>
<context>
    <name>BudgetViews</name>
    <message>
        <source>Disk {mount}</source>
        <translation>Диск {mount}</translation>
    </message>
    <message>
        <source>It uses a part of the RAM: the two are never added up.</source>
        <translation>Она занимает часть ОЗУ: вместе их складывать нельзя.</translation>
    </message>
    <message>
        <source>Left beside the plan: {size}</source>
        <translation>Останется рядом с планом: {size}</translation>
    </message>
    <message>
        <source>Limited by the system; the computer has {total}.</source>
        <translation>Ограничено системой; всего в компьютере {total}.</translation>
    </message>
    <message>
        <source>Memory of this computer</source>
        <translation>Память этого компьютера</translation>
    </message>
    <message>
        <source>RAM and VRAM</source>
        <translation>ОЗУ и VRAM</translation>
    </message>
    <message>
        <source>VRAM</source>
        <translation>VRAM</translation>
    </message>
    <message>
        <source>VRAM {number}</source>
        <translation>VRAM {number}</translation>
    </message>
    <message>
        <source>engines</source>
        <translation>движки</translation>
    </message>
    <message>
        <source>left {size}</source>
        <translation>останется {size}</translation>
    </message>
    <message>
        <source>models</source>
        <translation>модели</translation>
    </message>
    <message>
        <source>short by {size}</source>
        <translation>не хватает {size}</translation>
    </message>
    <message>
        <source>temporary files</source>
        <translation>временные файлы</translation>
    </message>
    <message>
        <source>{degrees} °C</source>
        <translation>{degrees} °C</translation>
    </message>
    <message>
        <source>{free} GiB free</source>
        <translation>свободно {free} ГиБ</translation>
    </message>
    <message>
        <source>{free} free</source>
        <translation>своб. {free}</translation>
    </message>
    <message>
        <source>{gpu} has no memory of its own: it uses the RAM.</source>
        <translation>У {gpu} нет своей памяти: используется ОЗУ.</translation>
    </message>
    <message>
        <source>{kind}; here lie: {roles}</source>
        <translation>{kind}; здесь лежат: {roles}</translation>
    </message>
    <message>
        <source>{model} would take</source>
        <translation>Понадобится модели {model}</translation>
    </message>
    <message>
        <source>{model} would take about</source>
        <translation>Понадобится модели {model}, примерно</translation>
    </message>
    <message>
        <source>{part}: {size}</source>
        <translation>{part}: {size}</translation>
    </message>
    <message>
        <source>{percent} % busy</source>
        <translation>занята на {percent} %</translation>
    </message>
    <message>
        <source>{used} / {total} GiB</source>
        <translation>{used} / {total} ГиБ</translation>
    </message>
    <message>
        <source>{used} of {total} GiB in use, {free} GiB free</source>
        <translation>занято {used} из {total} ГиБ, свободно {free} ГиБ</translation>
    </message>
    <message>
        <source>{watt} W</source>
        <translation>{watt} Вт</translation>
    </message>
</context>
<context>
    <name>ChatPage</name>
    <message>
        <source>Cancel</source>
        <translation>Отмена</translation>
    </message>
    <message>
        <source>Chat</source>
        <translation>Чат</translation>
    </message>
    <message>
        <source>How the model should behave, for example: Answer briefly.</source>
        <translation>Как должна вести себя модель, например: «Отвечай кратко».</translation>
    </message>
    <message>
        <source>New conversation</source>
        <translation>Новый разговор</translation>
    </message>
    <message>
        <source>No server is running</source>
        <translation>Сервер не запущен</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Открыть</translation>
    </message>
    <message>
        <source>Open this address in your browser?</source>
        <translation>Открыть этот адрес в браузере?</translation>
    </message>
    <message>
        <source>System prompt</source>
        <translation>Системный промпт</translation>
    </message>
    <message>
        <source>Talking to {model}</source>
        <translation>Собеседник: {model}</translation>
    </message>
</context>
<context>
    <name>ChatPresenter</name>
    <message>
        <source>stopped at the length limit</source>
        <translation>ответ обрезан по длине</translation>
    </message>
    <message>
        <source>stopped by you</source>
        <translation>остановлено вами</translation>
    </message>
</context>
<context>
    <name>Composer</name>
    <message>
        <source>Send</source>
        <translation>Отправить</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Стоп</translation>
    </message>
    <message>
        <source>Stop the answer (Esc)</source>
        <translation>Остановить ответ (Esc)</translation>
    </message>
</context>
<context>
    <name>CrashReport</name>
    <message>
        <source>Close</source>
        <translation>Закрыть</translation>
    </message>
    <message>
        <source>Copy report</source>
        <translation>Скопировать отчёт</translation>
    </message>
    <message>
        <source>Report</source>
        <translation>Отчёт</translation>
    </message>
</context>
<context>
    <name>EngineCard</name>
    <message>
        <source>Check</source>
        <translation>Проверить</translation>
    </message>
    <message>
        <source>Import it and see what it says</source>
        <translation>Загрузить его и посмотреть, работает ли</translation>
    </message>
    <message>
        <source>Install it again, keeping what is good</source>
        <translation>Установить заново, сохранив исправное</translation>
    </message>
    <message>
        <source>Launch models on this engine</source>
        <translation>Запускать модели на этом движке</translation>
    </message>
    <message>
        <source>Python {version}</source>
        <translation>Python {version}</translation>
    </message>
    <message>
        <source>Remove…</source>
        <translation>Удалить…</translation>
    </message>
    <message>
        <source>Repair</source>
        <translation>Починить</translation>
    </message>
    <message>
        <source>Take off the list…</source>
        <translation>Убрать из списка…</translation>
    </message>
    <message>
        <source>Use</source>
        <translation>Выбрать</translation>
    </message>
    <message>
        <source>in use</source>
        <translation>выбран</translation>
    </message>
    <message>
        <source>installed by Stowage</source>
        <translation>установлен Stowage</translation>
    </message>
    <message>
        <source>your own environment</source>
        <translation>ваше окружение</translation>
    </message>
</context>
<context>
    <name>EnginesPage</name>
    <message>
        <source>Engines</source>
        <translation>Движки</translation>
    </message>
    <message>
        <source>Installed vLLM builds. Models run on the one in use.</source>
        <translation>Установленные сборки vLLM. Модели работают на выбранной.</translation>
    </message>
    <message>
        <source>Looking for engines…</source>
        <translation>Ищем движки…</translation>
    </message>
    <message>
        <source>No engine yet. Install the recommended one, or add your own.</source>
        <translation>Движка пока нет. Установите рекомендованный или добавьте свой.</translation>
    </message>
</context>
<context>
    <name>EnginesPresenter</name>
    <message>
        <source>About {download} to download, {disk} on disk. At 10 MB/s that takes about {minutes} min.</source>
        <translation>Загрузка около {download}, на диске {disk}. При 10 МБ/с это примерно {minutes} мин.</translation>
    </message>
    <message>
        <source>Its {size} on disk become free. You can install it again later.</source>
        <translation>На диске освободится {size}. Его можно будет установить снова.</translation>
    </message>
    <message>
        <source>Keep it</source>
        <translation>Оставить</translation>
    </message>
    <message>
        <source>Recommended: {engine}</source>
        <translation>Рекомендуем: {engine}</translation>
    </message>
    <message>
        <source>Remove engine</source>
        <translation>Удалить движок</translation>
    </message>
    <message>
        <source>Remove {engine}?</source>
        <translation>Удалить {engine}?</translation>
    </message>
    <message>
        <source>Stowage forgets it. Its files stay as they are.</source>
        <translation>Stowage забудет о нём. Файлы останутся как есть.</translation>
    </message>
</context>
<context>
    <name>Figures</name>
    <message>
        <source>Counted by the server.</source>
        <translation>Посчитано сервером.</translation>
    </message>
    <message>
        <source>Prompt: {prompt} tokens
Answer: {answer} tokens
Time to first token: {first} s
Writing speed after the first token: {rate} tok/s
Whole answer: {total} s
{source}</source>
        <translation>Запрос: {prompt} ток.
Ответ: {answer} ток.
До первого токена: {first} с
Скорость после первого токена: {rate} ток/с
Весь ответ: {total} с
{source}</translation>
    </message>
    <message>
        <source>The server sent no counts: these are incomplete.</source>
        <translation>Сервер не прислал число токенов: данные неполные.</translation>
    </message>
    <message>
        <source>{rate} tok/s</source>
        <translation>{rate} ток/с</translation>
    </message>
    <message>
        <source>{rate} tok/s · first token {first} s · {tokens} tokens</source>
        <translation>{rate} ток/с · первый токен {first} с · {tokens} ток.</translation>
    </message>
</context>
<context>
    <name>GuideCard</name>
    <message>
        <source>Install engine and start the starter model</source>
        <translation>Установить движок и запустить первую модель</translation>
    </message>
    <message>
        <source>Your first answer, in one step</source>
        <translation>Первый ответ в одно нажатие</translation>
    </message>
</context>
<context>
    <name>HostWords</name>
    <message>
        <source>Compute capability {number}</source>
        <translation>Вычислительные возможности {number}</translation>
    </message>
    <message>
        <source>Driver {version}, CUDA up to {cuda}</source>
        <translation>Драйвер {version}, CUDA до {cuda}</translation>
    </message>
    <message>
        <source>No GPU here: models run on the processor and in RAM.</source>
        <translation>Видеокарты здесь нет: модели работают на процессоре и в ОЗУ.</translation>
    </message>
    <message>
        <source>PCIe {generation}.0 x{width}: about {rate} from RAM</source>
        <translation>PCIe {generation}.0 x{width}: примерно {rate} из ОЗУ</translation>
    </message>
    <message>
        <source>Programs may lock {size} in RAM</source>
        <translation>Программа может закрепить в ОЗУ {size}</translation>
    </message>
    <message>
        <source>Shared memory (/dev/shm): {size}</source>
        <translation>Общая память (/dev/shm): {size}</translation>
    </message>
    <message>
        <source>Swap: {used} of {total} in use</source>
        <translation>Подкачка: занято {used} из {total}</translation>
    </message>
</context>
<context>
    <name>InstallCard</name>
    <message>
        <source>Install</source>
        <translation>Установить</translation>
    </message>
</context>
<context>
    <name>Invitation</name>
    <message>
        <source>Ask {model} something</source>
        <translation>Спросите что-нибудь у {model}</translation>
    </message>
    <message>
        <source>Choose and launch a model</source>
        <translation>Выбрать и запустить модель</translation>
    </message>
    <message>
        <source>Explain unified memory in two sentences.</source>
        <translation>Объясни в двух предложениях, что такое общая память.</translation>
    </message>
    <message>
        <source>Launch one first. Then you talk to it here.</source>
        <translation>Сначала запустите её, потом разговаривайте с ней здесь.</translation>
    </message>
    <message>
        <source>No model is running yet</source>
        <translation>Ни одна модель ещё не запущена</translation>
    </message>
    <message>
        <source>Nothing you write leaves this computer.</source>
        <translation>Всё, что вы пишете, остаётся на этом компьютере.</translation>
    </message>
    <message>
        <source>What is the capital of France?</source>
        <translation>Какой город — столица Франции?</translation>
    </message>
    <message>
        <source>Write a short poem about the sea.</source>
        <translation>Напиши короткое стихотворение о море.</translation>
    </message>
</context>
<context>
    <name>LaunchOptions</name>
    <message>
        <source> GiB</source>
        <translation> ГиБ</translation>
    </message>
    <message>
        <source> tokens</source>
        <translation> ток.</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>Контекст</translation>
    </message>
    <message>
        <source>Context, in tokens</source>
        <translation>Контекст в токенах</translation>
    </message>
    <message>
        <source>Engine</source>
        <translation>Движок</translation>
    </message>
    <message>
        <source>Faster start</source>
        <translation>Быстрый старт</translation>
    </message>
    <message>
        <source>How many tokens question and answers may have together. More context needs more memory.</source>
        <translation>Сколько токенов могут занимать вопросы и ответы вместе. Чем больше контекст, тем больше нужно памяти.</translation>
    </message>
    <message>
        <source>Install engine and launch</source>
        <translation>Установить движок и запустить</translation>
    </message>
    <message>
        <source>KV cache</source>
        <translation>KV-кэш</translation>
    </message>
    <message>
        <source>KV cache, in GiB</source>
        <translation>KV-кэш в ГиБ</translation>
    </message>
    <message>
        <source>Launch</source>
        <translation>Запустить</translation>
    </message>
    <message>
        <source>Leaves out compiling: the server is ready sooner and writes somewhat more slowly.</source>
        <translation>Без компиляции: сервер готов раньше, но пишет немного медленнее.</translation>
    </message>
    <message>
        <source>Memory (RAM) set aside for the conversation: keys and values of every token in context.</source>
        <translation>Оперативная память под разговор: ключи и значения каждого токена контекста.</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Модель</translation>
    </message>
    <message>
        <source>The installed vLLM that runs it</source>
        <translation>Установленный vLLM, на котором она работает</translation>
    </message>
    <message>
        <source>The model to run</source>
        <translation>Какую модель запустить</translation>
    </message>
    <message>
        <source>none installed yet</source>
        <translation>пока не установлен</translation>
    </message>
    <message>
        <source>the model&apos;s own</source>
        <translation>как у модели</translation>
    </message>
</context>
<context>
    <name>LaunchPage</name>
    <message>
        <source>Launch</source>
        <translation>Запуск</translation>
    </message>
    <message>
        <source>Start a model on an engine, and watch it come up.</source>
        <translation>Запустите модель на движке и следите, как она стартует.</translation>
    </message>
</context>
<context>
    <name>LaunchPresenter</name>
    <message>
        <source>It was kept running when Stowage was closed last time; Stowage is connected to it again.</source>
        <translation>Сервер продолжал работать, когда Stowage был закрыт; теперь Stowage снова подключён к нему.</translation>
    </message>
    <message>
        <source>Ready after {time}.</source>
        <translation>Готово за {time}.</translation>
    </message>
    <message>
        <source>Starting {model}</source>
        <translation>Запускаем {model}</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>Останавливаем…</translation>
    </message>
    <message>
        <source>{engine}: about {download} to download, {disk} on disk.</source>
        <translation>{engine}: загрузка около {download}, на диске {disk}.</translation>
    </message>
    <message>
        <source>{model} is ready</source>
        <translation>{model}: готова к работе</translation>
    </message>
</context>
<context>
    <name>LogView</name>
    <message numerus="yes">
        <source>%Ln line(s) left out</source>
        <translation>
            <numerusform>Пропущена %Ln строка</numerusform>
            <numerusform>Пропущено %Ln строки</numerusform>
            <numerusform>Пропущено %Ln строк</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln match(es)</source>
        <translation>
            <numerusform>%Ln совпадение</numerusform>
            <numerusform>%Ln совпадения</numerusform>
            <numerusform>%Ln совпадений</numerusform>
        </translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Копировать</translation>
    </message>
    <message>
        <source>Copy the selected lines, or the whole log</source>
        <translation>Скопировать выделенные строки или весь журнал</translation>
    </message>
    <message>
        <source>Follow</source>
        <translation>Следить</translation>
    </message>
    <message>
        <source>Follow the end of the log</source>
        <translation>Следить за концом журнала</translation>
    </message>
    <message>
        <source>Keep the newest line in sight</source>
        <translation>Держать на виду последнюю строку</translation>
    </message>
    <message>
        <source>Next match</source>
        <translation>Следующее совпадение</translation>
    </message>
    <message>
        <source>Previous match</source>
        <translation>Предыдущее совпадение</translation>
    </message>
    <message>
        <source>Search the log</source>
        <translation>Поиск по журналу</translation>
    </message>
    <message>
        <source>Server log</source>
        <translation>Журнал сервера</translation>
    </message>
    <message>
        <source>What the server says appears here.</source>
        <translation>Здесь появится то, что пишет сервер.</translation>
    </message>
    <message>
        <source>{number} of {total}</source>
        <translation>{number} из {total}</translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>Chat</source>
        <translation>Чат</translation>
    </message>
    <message>
        <source>Engines</source>
        <translation>Движки</translation>
    </message>
    <message>
        <source>Launch</source>
        <translation>Запуск</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>Модели</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Настройки</translation>
    </message>
    <message>
        <source>{page} (Ctrl+{number})</source>
        <translation>{page} (Ctrl+{number})</translation>
    </message>
</context>
<context>
    <name>MessageInput</name>
    <message>
        <source>Message… (Enter sends, Shift+Enter starts a new line)</source>
        <translation>Сообщение… (Enter — отправить, Shift+Enter — новая строка)</translation>
    </message>
    <message>
        <source>Your message</source>
        <translation>Ваше сообщение</translation>
    </message>
</context>
<context>
    <name>MessageList</name>
    <message numerus="yes">
        <source>%Ln earlier message(s) are kept, not shown</source>
        <translation>
            <numerusform>%Ln более раннее сообщение сохранено, но не показано</numerusform>
            <numerusform>%Ln более ранних сообщения сохранены, но не показаны</numerusform>
            <numerusform>%Ln более ранних сообщений сохранены, но не показаны</numerusform>
        </translation>
    </message>
    <message>
        <source>Conversation</source>
        <translation>Разговор</translation>
    </message>
</context>
<context>
    <name>ModelCard</name>
    <message>
        <source>Launch</source>
        <translation>Запустить</translation>
    </message>
    <message>
        <source>Launch {model}</source>
        <translation>Запустить {model}</translation>
    </message>
    <message>
        <source>Take {model} off the list (its files stay)</source>
        <translation>Убрать {model} из списка (файлы останутся)</translation>
    </message>
</context>
<context>
    <name>ModelsPage</name>
    <message>
        <source>Choose what to run. Everything stays on this computer.</source>
        <translation>Выберите, что запустить. Всё остаётся на этом компьютере.</translation>
    </message>
    <message>
        <source>Looking at your models…</source>
        <translation>Смотрим ваши модели…</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>Модели</translation>
    </message>
    <message>
        <source>Starter model</source>
        <translation>Модель для начала</translation>
    </message>
    <message>
        <source>works without an account</source>
        <translation>работает без учётной записи</translation>
    </message>
    <message>
        <source>{tokens} tokens of context</source>
        <translation>контекст {tokens} ток.</translation>
    </message>
</context>
<context>
    <name>ModelsPresenter</name>
    <message>
        <source>Stowage installs {engine} (about {download} to download, {disk} on disk), makes the starter model and starts it. You can cancel at any time.</source>
        <translation>Stowage установит {engine} (загрузка около {download}, на диске {disk}), подготовит первую модель и запустит её. Отменить можно в любой момент.</translation>
    </message>
</context>
<context>
    <name>PhaseTimeline</name>
    <message>
        <source>Phases of the start</source>
        <translation>Этапы запуска</translation>
    </message>
</context>
<context>
    <name>ProbeCard</name>
    <message>
        <source>Cancel</source>
        <translation>Отмена</translation>
    </message>
    <message>
        <source>Cancelling…</source>
        <translation>Отменяем…</translation>
    </message>
    <message>
        <source>How fast RAM, disk and the way to the GPU really are. It takes up to 20 seconds.</source>
        <translation>Как быстры на деле ОЗУ, диск и путь к видеокарте. Измерение займёт до 20 секунд.</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>Измерить</translation>
    </message>
    <message>
        <source>Measured speeds</source>
        <translation>Измеренная скорость</translation>
    </message>
    <message>
        <source>On {date}.</source>
        <translation>{date}.</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>Ход работы</translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation>Начинаем…</translation>
    </message>
    <message>
        <source>The disk was read through the cache: it may be slower.</source>
        <translation>Диск читался через кэш: на деле он может быть медленнее.</translation>
    </message>
</context>
<context>
    <name>ProcessModel</name>
    <message>
        <source>Memory</source>
        <translation>Память</translation>
    </message>
    <message>
        <source>Process</source>
        <translation>Процесс</translation>
    </message>
    <message>
        <source>Program</source>
        <translation>Программа</translation>
    </message>
    <message>
        <source>The number comes from the driver and may be another process in this container.</source>
        <translation>Номер назвал драйвер: в этом контейнере это может быть другой процесс.</translation>
    </message>
    <message>
        <source>Whose</source>
        <translation>Чья</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>неизвестно</translation>
    </message>
    <message>
        <source>● our server</source>
        <translation>● наш сервер</translation>
    </message>
</context>
<context>
    <name>ProcessTable</name>
    <message>
        <source>Programs and their memory</source>
        <translation>Программы и их память</translation>
    </message>
</context>
<context>
    <name>ProgressRow</name>
    <message>
        <source>Cancel</source>
        <translation>Отмена</translation>
    </message>
    <message>
        <source>Cancelling…</source>
        <translation>Отменяем…</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>Ход работы</translation>
    </message>
    <message>
        <source>about {time} left</source>
        <translation>осталось около {time}</translation>
    </message>
    <message>
        <source>{done} of {total}</source>
        <translation>{done} из {total}</translation>
    </message>
    <message>
        <source>{rate} MB/s</source>
        <translation>{rate} МБ/с</translation>
    </message>
    <message>
        <source>{step} (step {number} of {count})</source>
        <translation>{step} (шаг {number} из {count})</translation>
    </message>
</context>
<context>
    <name>Question</name>
    <message>
        <source>You said</source>
        <translation>Вы сказали</translation>
    </message>
</context>
<context>
    <name>Quitting</name>
    <message>
        <source>A server that keeps running holds its memory. Stowage finds it again at the next start.</source>
        <translation>Работающий сервер занимает память. При следующем запуске Stowage снова найдёт его.</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Отмена</translation>
    </message>
    <message>
        <source>Closing Stowage now cancels the start.</source>
        <translation>Если закрыть Stowage сейчас, запуск отменится.</translation>
    </message>
    <message>
        <source>Closing…</source>
        <translation>Закрываем…</translation>
    </message>
    <message>
        <source>Do this every time</source>
        <translation>Поступать так всегда</translation>
    </message>
    <message>
        <source>Keep it running</source>
        <translation>Пусть работает</translation>
    </message>
    <message>
        <source>Stop server</source>
        <translation>Остановить сервер</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>Останавливаем…</translation>
    </message>
    <message>
        <source>{model} is still running</source>
        <translation>{model} ещё работает</translation>
    </message>
    <message>
        <source>{model} is still starting</source>
        <translation>{model} ещё запускается</translation>
    </message>
</context>
<context>
    <name>ReadyCard</name>
    <message>
        <source>Address:</source>
        <translation>Адрес:</translation>
    </message>
    <message>
        <source>Copy the address</source>
        <translation>Скопировать адрес</translation>
    </message>
    <message>
        <source>Open chat</source>
        <translation>Открыть чат</translation>
    </message>
    <message>
        <source>Stop server</source>
        <translation>Остановить сервер</translation>
    </message>
    <message>
        <source>The OpenAI-compatible address of the server, on this computer only</source>
        <translation>Адрес сервера, совместимый с OpenAI; доступен только с этого компьютера</translation>
    </message>
</context>
<context>
    <name>SettingsPage</name>
    <message>
        <source>About</source>
        <translation>О программе</translation>
    </message>
    <message>
        <source>Appearance</source>
        <translation>Оформление</translation>
    </message>
    <message>
        <source>Ask what happens to the server</source>
        <translation>Спрашивать, что делать с сервером</translation>
    </message>
    <message>
        <source>Behaviour</source>
        <translation>Поведение</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>Тёмное</translation>
    </message>
    <message>
        <source>Engines</source>
        <translation>Движки</translation>
    </message>
    <message>
        <source>Folders</source>
        <translation>Папки</translation>
    </message>
    <message>
        <source>Keep the server running</source>
        <translation>Оставлять сервер работать</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Язык</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Светлое</translation>
    </message>
    <message>
        <source>Like the system</source>
        <translation>Как в системе</translation>
    </message>
    <message>
        <source>Logs</source>
        <translation>Журналы</translation>
    </message>
    <message>
        <source>Models made here</source>
        <translation>Подготовленные модели</translation>
    </message>
    <message>
        <source>Open the folder “{folder}”</source>
        <translation>Открыть папку «{folder}»</translation>
    </message>
    <message>
        <source>Runs language models on this computer with vLLM. Apache-2.0 licence.</source>
        <translation>Запускает языковые модели на этом компьютере с помощью vLLM. Лицензия Apache-2.0.</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Настройки</translation>
    </message>
    <message>
        <source>Stop the server</source>
        <translation>Останавливать сервер</translation>
    </message>
    <message>
        <source>Stowage {version}</source>
        <translation>Stowage {version}</translation>
    </message>
    <message>
        <source>The language changes when Stowage is started again.</source>
        <translation>Язык сменится при следующем запуске Stowage.</translation>
    </message>
    <message>
        <source>When Stowage is closed</source>
        <translation>При закрытии Stowage</translation>
    </message>
</context>
<context>
    <name>Speech</name>
    <message>
        <source>A first trial run, so that your first answer comes fast.</source>
        <translation>Первый пробный прогон, чтобы ваш первый ответ пришёл быстро.</translation>
    </message>
    <message>
        <source>CPU</source>
        <translation>процессор</translation>
    </message>
    <message>
        <source>Memory for the conversation is set aside.</source>
        <translation>Выделяется память под разговор.</translation>
    </message>
    <message>
        <source>Starting: {phase}</source>
        <translation>Запуск: {phase}</translation>
    </message>
    <message>
        <source>The model is compiled for this machine. Faster start leaves this out.</source>
        <translation>Модель компилируется под этот компьютер. С быстрым стартом этот этап пропускается.</translation>
    </message>
    <message>
        <source>The model&apos;s weights are read from disk into memory.</source>
        <translation>Веса модели читаются с диска в память.</translation>
    </message>
    <message>
        <source>The server answers.</source>
        <translation>Сервер отвечает.</translation>
    </message>
    <message>
        <source>unknown device</source>
        <translation>неизвестное устройство</translation>
    </message>
    <message>
        <source>vLLM starts in its own environment and reads the model&apos;s configuration.</source>
        <translation>vLLM стартует в своём окружении и читает конфигурацию модели.</translation>
    </message>
    <message>
        <source>vLLM {version}, {platform}</source>
        <translation>vLLM {version}, {platform}</translation>
    </message>
    <message>
        <source>{percent} %</source>
        <translation>{percent} %</translation>
    </message>
</context>
<context>
    <name>StartingCard</name>
    <message>
        <source>Cancel</source>
        <translation>Отмена</translation>
    </message>
    <message>
        <source>Cancelling…</source>
        <translation>Отменяем…</translation>
    </message>
    <message>
        <source>Time since you pressed Launch</source>
        <translation>Время с момента запуска</translation>
    </message>
</context>
<context>
    <name>StatusStrip</name>
    <message>
        <source>Progress</source>
        <translation>Ход работы</translation>
    </message>
    <message>
        <source>Tokens per second of the answer being written</source>
        <translation>Сколько токенов в секунду пишется сейчас</translation>
    </message>
</context>
<context>
    <name>TraceChart</name>
    <message>
        <source>10 min ago</source>
        <translation>10 мин назад</translation>
    </message>
    <message>
        <source>The last ten minutes</source>
        <translation>Последние десять минут</translation>
    </message>
    <message>
        <source>now</source>
        <translation>сейчас</translation>
    </message>
</context>
</TS>
